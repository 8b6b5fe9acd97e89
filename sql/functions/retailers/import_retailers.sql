-- Adds or updates retailers by slug. A value that the list leaves out stays as it is.
-- Called by: importRetailers. Locks: first the retailers that it finds, by id, as importSources does; then the rows it
-- writes. Idempotent: the same list again changes nothing.
create or replace function freshet.import_retailers(p_rows jsonb, out created integer, out updated integer)
language sql volatile set search_path = ''
as $$
  select from freshet.retailers
  where slug in (select g.slug from jsonb_to_recordset(p_rows) as g(slug text))
  order by id for no key update;

  with written as (
    insert into freshet.retailers as r (slug, name, website, domain, logo_url, tier)
    select g.slug, g.name, g.website, g.domain, g.logo_url, g.tier
    from jsonb_to_recordset(p_rows) as g(slug text, name text, website text, domain text, logo_url text, tier text)
    order by g.slug
    on conflict (slug) do update
    set name = excluded.name,
      website = coalesce(excluded.website, r.website),
      domain = coalesce(excluded.domain, r.domain),
      logo_url = coalesce(excluded.logo_url, r.logo_url),
      tier = coalesce(excluded.tier, r.tier)
    where (r.name, r.website, r.domain, r.logo_url, r.tier) is distinct from (
      excluded.name, coalesce(excluded.website, r.website), coalesce(excluded.domain, r.domain),
      coalesce(excluded.logo_url, r.logo_url), coalesce(excluded.tier, r.tier))
    returning (xmax = 0) as is_new
  )
  select count(*) filter (where is_new)::integer, count(*) filter (where not is_new)::integer from written
$$;
