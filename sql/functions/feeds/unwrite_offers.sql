-- Takes back what earlier chunks of a run wrote for these offers, since a later row of the same product wins (S2 §7.5).
-- Called by: ingest_feed_chunk, skip_parent_offers, restart_feed_run, prune_feed_runs. Locks: what it deletes. Answers how many prices went.
create or replace function freshet.unwrite_offers(p_run_id bigint, p_offer_ids bigint[]) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_prices integer;
begin
  delete from freshet.offer_versions where offer_id = any (p_offer_ids) and run_id = p_run_id;
  delete from freshet.prices where offer_id = any (p_offer_ids) and run_id = p_run_id;
  get diagnostics v_prices = row_count;
  return v_prices;
end
$$;
