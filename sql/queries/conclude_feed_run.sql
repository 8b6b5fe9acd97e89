-- Judges the run $1 in its attempt $2 as of $3, whose file was read as $4 says, shows or blocks it, and ends it; with the thresholds
-- that it was judged by.
select
  c.is_blocked as "isBlocked", c.block_reasons::text[] as "blockReasons", c.active_count_before as "activeCountBefore",
  c.seen_success_count as "seenSuccessCount", c.would_expire_count as "wouldExpireCount",
  c.products_expired as "productsExpired", c.prices_compared as "pricesCompared", c.prices_moved as "pricesMoved",
  c.price_factor::text as "priceFactor", c.warnings,
  f.expire_percent as "thresholdPercent", f.expire_max_count as "thresholdAbsolute",
  (select coalesce(sum(cardinality(seen)), 0)::integer from freshet.feed_run_chunks where run_id = c.run_id) as "seenCount"
from freshet.conclude_feed_run($1, $2, $3, $4) c join freshet.feeds f on f.id = c.feed_id
