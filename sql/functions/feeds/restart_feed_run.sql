-- Takes back all that earlier attempts of a run that is still RUNNING wrote: prices, versions, the products that no other run met, what
-- it saw, and what it found out about the file. A product that another run met meanwhile stays: that one may wait for approval.
-- Called by: tg_runs__begin_feed_run, under the feed's lock. Locks: what it deletes. Idempotent.
create or replace function freshet.restart_feed_run(p_run_id bigint) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_chunk freshet.feed_run_chunks;
begin
  for v_chunk in select * from freshet.feed_run_chunks where run_id = p_run_id order by number loop
    perform freshet.unwrite_offers(p_run_id, v_chunk.written || v_chunk.heartbeats);
    delete from freshet.offers o
    where o.id = any (v_chunk.created) and o.created_by_run_id = p_run_id
      and not exists (select from freshet.offer_versions v where v.offer_id = o.id);
  end loop;
  delete from freshet.feed_run_chunks where run_id = p_run_id;
  update freshet.feed_runs
  set found = '{}', warnings = '[]', remote_mtime = null, remote_size = null, content_hash = null where run_id = p_run_id;
end
$$;
