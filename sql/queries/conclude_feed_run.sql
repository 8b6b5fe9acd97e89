-- Judges the run $1 in its attempt $2 as of $3, shows or blocks it, and ends it.
select
  c.is_blocked as "isBlocked", c.block_reasons::text[] as "blockReasons", c.active_count_before as "activeCountBefore",
  c.seen_success_count as "seenSuccessCount", c.would_expire_count as "wouldExpireCount",
  c.products_expired as "productsExpired", c.prices_compared as "pricesCompared", c.prices_moved as "pricesMoved",
  c.price_factor::text as "priceFactor", c.warnings
from freshet.conclude_feed_run($1, $2, $3) c
