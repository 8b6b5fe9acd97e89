-- Gives committed news of alerts their places, so that a reader who goes on after a place loses and repeats nothing although
-- transactions commit out of order. Answers the last place given.
-- Called by: src/domain/alerts/watch-alerts.ts, in each process that has subscribers; tick, for what nobody heard.
-- Locks: the alert stream's row, if there is anything to place. Idempotent.
create or replace function freshet.place_alert_news() returns bigint
language plpgsql volatile set search_path = ''
as $$
begin
  if exists (select from freshet.alert_news where position is null) then
    perform from freshet.alert_stream for update;
    with unplaced as (
      select n.id, s.last_position + row_number() over (order by n.id) as position
      from freshet.alert_news n, freshet.alert_stream s where n.position is null
    ), placed as (
      update freshet.alert_news n set position = u.position from unplaced u where u.id = n.id returning 1
    )
    update freshet.alert_stream set last_position = last_position + (select count(*) from placed);
  end if;
  return (select last_position from freshet.alert_stream);
end
$$;
