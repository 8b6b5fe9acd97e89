-- What a run needs to know of its feed. $1: the feed's id, $2: the run's; null: a test's.
select
  f.id::text, f.source_id::text as "sourceId", s.name as "sourceName", s.affiliate_network::text as network,
  f.transport::text, f.tls_mode::text as "tlsMode", f.host, f.port, f.path, f.username, f.host_keys as "hostKeys",
  f.secret_ciphertext as "secretCiphertext", f.secret_key_id as "secretKeyId", f.secret_version as "secretVersion",
  f.dialect::text, f.delimiter::text, f.quoting::text, f.column_map as "columnMap", f.default_currency as "defaultCurrency",
  f.decimal_mark::text as "decimalMark",
  f.max_file_size_bytes::float8 as "maxFileSizeBytes", f.max_row_count as "maxRowCount",
  f.max_product_count as "maxProductCount", f.unchanged_policy::text as "unchangedPolicy",
  f.last_remote_mtime as "lastRemoteMtime", f.last_remote_size::float8 as "lastRemoteSize",
  f.last_content_hash as "lastContentHash", coalesce(r.is_forced, false) as "isForced",
  freshet.feed_reading(f) as reading,
  exists (select from freshet.promotions p where p.source_id = f.source_id) as "isPromoted"
from freshet.feeds f
join freshet.sources s on s.id = f.source_id
left join freshet.feed_runs r on r.run_id = $2::bigint
where f.id = $1
