-- Deletes alerts that were resolved at least p_keep ago, with what was told of them, the oldest first, and notes the highest
-- place that went: who resumes the stream of alerts before it is told that its cursor is too old. What has no place yet stays.
-- Called by: maintenance. Locks: the alert stream's row, then the alerts it deletes; one that somebody has locked waits for
-- the next call. Idempotent. At most p_max_rows alerts a call; answers how many.
create or replace function freshet.prune_alerts(p_keep interval, p_now timestamptz, p_max_rows integer) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_ids bigint[];
begin
  perform from freshet.alert_stream for update;
  v_ids := array(
    select a.id from freshet.alerts a
    where a.resolved_at <= p_now - p_keep
      and not exists (select from freshet.alert_news n where n.alert_id = a.id and n.position is null)
    order by a.resolved_at limit p_max_rows
    for update of a skip locked
  );
  update freshet.alert_stream s
  set pruned_position = greatest(
    s.pruned_position, (select max(n.position) from freshet.alert_news n where n.alert_id = any (v_ids))
  );
  delete from freshet.alerts where id = any (v_ids);
  return cardinality(v_ids);
end
$$;
