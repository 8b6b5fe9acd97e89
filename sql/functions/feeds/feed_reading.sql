-- What of a feed's settings says which file is read, and how (RULINGS 27): at another port, or for another user, it is another one.
-- What was known of the file under others says nothing about what would be read now.
-- Called by: tg_feeds__forget_file, conclude_feed_run, sql/queries/feed_for_run.sql. Locks: none.
create or replace function freshet.feed_reading(p_feed freshet.feeds) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_array(
    p_feed.transport, p_feed.host, p_feed.port, p_feed.username, p_feed.path, p_feed.format, p_feed.dialect, p_feed.delimiter,
    p_feed.quoting, p_feed.column_map, p_feed.default_currency, p_feed.decimal_mark, p_feed.max_file_size_bytes,
    p_feed.max_row_count, p_feed.max_product_count
  )
$$;
