-- What a list may change of the retailers with these slugs ($1), under their locks: taken by number, as imports do.
select r.id::text, r.slug, r.name, r.website, r.domain, r.logo_url as "logoUrl", r.tier
from freshet.retailers r where r.slug = any ($1::text[]) order by r.id for no key update
