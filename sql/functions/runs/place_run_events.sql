-- Gives committed events that have none the next positions in the stream of all runs, and answers the last position given and
-- how many events got one. Positions come after commit, from one caller at a time, so a reader who has seen position n has seen
-- all up to n: no event turns up behind him, however long its transaction was open, and no open transaction holds others up.
-- Inside a run the order is that of `number`. `p_run_ids` names the runs that were announced; null stands for all. Naming them
-- keeps a call cheap while an old snapshot, somewhere, keeps the index entries of events placed long ago from being removed.
-- Called by: src/domain/runs/event.ts on NOTIFY; tick, last in a beat, for what nobody heard. Locks: advisory
-- (4630, 0) to the end of the transaction, which must be short. Idempotent.
create or replace function freshet.place_run_events(p_run_ids bigint[] default null, p_max_rows integer default 1000)
returns table (last_position bigint, placed integer)
language plpgsql volatile set search_path = ''
as $$
declare
  v_run_ids bigint[] := p_run_ids;
  v_placed integer;
begin
  perform pg_advisory_xact_lock(4630, 0);
  if v_run_ids is null then
    select array_agg(distinct e.run_id) into v_run_ids from freshet.run_events e where e.position is null;
  end if;
  with unplaced as (
    select e.run_id, e.number from freshet.run_events e
    where e.position is null and e.run_id = any (v_run_ids)
    order by e.run_id, e.number limit p_max_rows
  ), ordered as (
    select u.run_id, u.number, s.last_position + row_number() over (order by u.run_id, u.number) as position
    from unplaced u cross join freshet.event_stream s
  )
  update freshet.run_events e set position = o.position
  from ordered o where e.run_id = o.run_id and e.number = o.number;
  get diagnostics v_placed = row_count;
  if v_placed > 0 then
    update freshet.event_stream s set last_position = s.last_position + v_placed;
  end if;
  return query select s.last_position, v_placed from freshet.event_stream s;
end
$$;
