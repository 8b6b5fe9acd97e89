-- Whether so many would vanish at once that somebody should look first (S2 §8.8): more than p_percent of what is there and at least
-- p_min_count, or p_max_count and more. Where nothing is, nothing can vanish.
-- Called by: evaluate_feed_run, src/domain/sources/impact.ts. Locks: none.
create or replace function freshet.is_spike(
  p_before bigint, p_would_go bigint, p_percent integer default 30, p_min_count integer default 10, p_max_count integer default 500
) returns boolean
language sql immutable set search_path = ''
as $$
  select p_before > 0 and (p_would_go * 100 > p_before * p_percent and p_would_go >= p_min_count or p_would_go >= p_max_count)
$$;
