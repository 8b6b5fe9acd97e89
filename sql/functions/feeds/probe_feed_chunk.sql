-- Answers which rows of the chunk, whose keys are staged, have anything to write: only those need be sent in full. What an earlier
-- chunk wrote for a product that now says what is promoted goes without its row.
-- Called by: src/domain/feeds/ingest, in the chunk's transaction. Locks: none.
create or replace function freshet.probe_feed_chunk(p_run_id bigint, p_now timestamptz) returns integer[]
language plpgsql volatile set search_path = ''
as $$
begin
  perform freshet.know_feed_chunk(p_run_id, p_now);
  return array(select n from pg_temp.feed_known where is_changed or price_reason is not null);
end
$$;
