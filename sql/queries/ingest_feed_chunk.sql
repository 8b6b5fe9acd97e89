select products, prices from freshet.ingest_feed_chunk(
  p_run_id => $1, p_attempt => $2, p_number => $3, p_is_known => $4, p_counters => $5, p_now => $6
)
