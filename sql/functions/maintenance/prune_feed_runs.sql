-- Deletes the bulky parts of feed runs that ended over p_keep ago: their seen sets, and what they wrote if it can never be shown any
-- more. The run that is shown now, and one that waits for a decision, keep theirs (RULINGS 12, 15). The runs' own rows stay.
-- Called by: maintenance. Locks: what it deletes. Idempotent. At most p_max_rows chunks a call; answers how many.
create or replace function freshet.prune_feed_runs(p_keep interval, p_now timestamptz, p_max_rows integer) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_chunk freshet.feed_run_chunks;
  v_count integer := 0;
begin
  for v_chunk in
    select c.* from freshet.feed_run_chunks c
    join freshet.runs r on r.id = c.run_id
    join freshet.feed_runs f on f.run_id = c.run_id
    where r.finished_at <= p_now - p_keep
      and c.run_id is distinct from freshet.promoted_run(r.source_id)
      and not (f.is_blocked and num_nonnulls(f.approved_at, f.rejected_at) = 0 and not freshet.is_stale_run(c.run_id))
    order by c.run_id, c.number limit p_max_rows
  loop
    if not exists (select from freshet.promotions where run_id = v_chunk.run_id) then
      perform freshet.unwrite_offers(v_chunk.run_id, v_chunk.written || v_chunk.heartbeats);
    end if;
    delete from freshet.feed_run_chunks where run_id = v_chunk.run_id and number = v_chunk.number;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
