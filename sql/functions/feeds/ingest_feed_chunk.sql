-- Merges one chunk of a run, set-based: keys are staged, and rows for those that have anything to write. The last row of a
-- product wins: within the chunk its caller saw to it, here across chunks. Counts what was written in the same transaction.
-- Called by: src/domain/feeds/ingest, under the run's lock. Locks: the run's row. Raises FR021 if another attempt owns the run.
-- Answers how many products it met for the first time in this run, and how many prices it wrote.
create or replace function freshet.ingest_feed_chunk(
  p_run_id bigint,
  p_attempt integer,
  p_number integer,
  p_is_known boolean,
  p_counters jsonb,
  p_now timestamptz,
  out products integer,
  out prices integer
)
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs := freshet.own_run(p_run_id, p_attempt);
  v_again bigint[];
  v_seen bigint[];
  v_fallbacks integer;
begin
  prices := 0;
  if not p_is_known then
    perform freshet.know_feed_chunk(p_run_id, p_now);
  end if;
  -- Its key tells which of them an earlier chunk had: a look-up each, however many those are.
  with added as (
    insert into pg_temp.feed_seen select offer_id from pg_temp.feed_known on conflict do nothing returning offer_id
  )
  select coalesce(array_agg(offer_id order by offer_id), '{}') into v_seen from added;
  v_again := array(select offer_id from pg_temp.feed_known except select unnest(v_seen));
  if v_again <> '{}' then
    prices := -freshet.unwrite_offers(p_run_id, v_again);
    perform freshet.note_repeats(p_run_id, p_attempt, v_again, p_now);
  end if;

  insert into freshet.offers (
    id, source_id, created_by_run_id, created_at, identity_type, identity_value, url_hash, folded_hash
  )
  select w.offer_id, v_run.source_id, p_run_id, p_now, k.identity_type, k.identity_value, k.url_hash, k.folded_hash
  from pg_temp.feed_known w join pg_temp.feed_keys k using (n) where w.is_new order by w.offer_id;

  insert into freshet.offer_presence (offer_id, last_seen_at)
  select offer_id, p_now from pg_temp.feed_known where is_new order by offer_id;

  insert into freshet.offer_versions (
    offer_id, run_id, line, original_price, in_stock, title, link, url, image_url, brand, category, upc, item_id, sku, hash
  )
  select w.offer_id, p_run_id, r.line, r.original_price, r.in_stock, r.title, r.link, r.url, r.image_url, r.brand, r.category,
    r.upc, r.item_id, r.sku, k.version_hash
  from pg_temp.feed_known w join pg_temp.feed_rows r using (n) join pg_temp.feed_keys k using (n)
  where w.is_changed order by w.offer_id;

  prices := prices + freshet.write_feed_prices(p_run_id, p_attempt, p_now);

  select count(*) into v_fallbacks
  from unnest(v_seen) as s(offer_id) join pg_temp.feed_known w using (offer_id) join pg_temp.feed_keys k using (n)
  where k.identity_type = 'URL_HASH';

  insert into freshet.feed_run_chunks (run_id, number, seen, written, created, heartbeats)
  select p_run_id, p_number, v_seen,
    coalesce(array_agg(offer_id) filter (where is_changed or price_reason in ('NEW', 'CHANGED')), '{}'),
    coalesce(array_agg(offer_id) filter (where is_new), '{}'),
    coalesce(array_agg(offer_id) filter (where not is_changed and price_reason = 'HEARTBEAT'), '{}')
  from pg_temp.feed_known;

  perform freshet.note_identities(p_run_id, p_attempt, p_now);
  perform freshet.add_run_progress(p_run_id, p_attempt, p_counters || jsonb_build_object(
    'productsUpserted', cardinality(v_seen),
    'duplicateKeyCount', coalesce((p_counters ->> 'duplicateKeyCount')::integer, 0) + cardinality(v_again),
    'urlHashFallbackCount', v_fallbacks, 'pricesWritten', prices
  ), p_now);
  products := cardinality(v_seen);
end
$$;
