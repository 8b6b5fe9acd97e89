-- Notes of products that an earlier chunk of the same file had: their last row wins, which is no error (S2 §7.5). Within a chunk
-- its caller noted them. The line of a row that has nothing to write is not known here: it was not sent.
-- Called by: ingest_feed_chunk. Locks: none.
create or replace function freshet.note_repeats(p_run_id bigint, p_attempt integer, p_offer_ids bigint[], p_now timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_notes jsonb;
begin
  select jsonb_agg(jsonb_build_object(
    'code', 'DUPLICATE_ROW_SAME_IDENTITY', 'line', n.line, 'item', n.identity_value,
    'message', format('The same product (%s %s) stands further up in the file, too; the last row wins.', n.identity_type, n.identity_value)
  ) order by n.line) into v_notes
  from (
    select r.line, k.identity_type, k.identity_value
    from pg_temp.feed_known w join pg_temp.feed_keys k using (n) left join pg_temp.feed_rows r using (n)
    where w.offer_id = any (p_offer_ids) order by r.line limit 100
  ) n;
  perform freshet.sample_run_errors(
    p_run_id => p_run_id, p_attempt => p_attempt, p_samples => v_notes,
    p_totals => jsonb_build_object('DUPLICATE_ROW_SAME_IDENTITY', cardinality(p_offer_ids)), p_error_count => 0, p_now => p_now
  );
end
$$;
