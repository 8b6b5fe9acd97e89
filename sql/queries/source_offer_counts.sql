-- How many offers of each of several sources ($1) consumers see at $2, and how many they would if it were visible.
select s.id::text,
  (select count(*)::int from freshet.visible_offers($2) v where v.source_id = s.id) as visible,
  (
    select count(*)::int
    from freshet.current_offers c join freshet.offer_presence p on p.offer_id = c.offer_id
    where c.source_id = s.id and p.last_seen_success_at >= freshet.active_since(s.id, $2)
  ) as active
from unnest($1::bigint[]) s (id)
