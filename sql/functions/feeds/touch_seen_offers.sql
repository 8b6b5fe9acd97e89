-- Notes when a run saw what it saw, whatever came of it (S2 §7.6): once, at its end, instead of row by row.
-- Called by: tg_runs__settle_feed_run, conclude_feed_run. Locks: the presence rows. Idempotent.
create or replace function freshet.touch_seen_offers(p_run_id bigint, p_at timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_seen bigint[];
begin
  for v_seen in select seen from freshet.feed_run_chunks where run_id = p_run_id order by number loop
    update freshet.offer_presence set last_seen_at = p_at where offer_id = any (v_seen) and last_seen_at < p_at;
  end loop;
end
$$;
