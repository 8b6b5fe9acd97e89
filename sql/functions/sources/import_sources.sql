-- Adds or updates sources by retailer and name, then gives every retailer of the list that has no
-- display primary its oldest DIRECT source that is ELIGIBLE as one (S2 §18.2: by created_at, then id). A value that the
-- list leaves out stays as it is; kind, visibility, trust and age of a known source stay in any case.
-- Called by: importSources, which holds the lock on the retailers of the list, so that no source and no primary of theirs
-- appears meanwhile. Locks: the rows it writes. Idempotent: the same list again changes nothing.
create or replace function freshet.import_sources(p_rows jsonb, out created integer, out updated integer, out promoted integer)
language plpgsql volatile set search_path = ''
as $$
declare
  v_retailer_ids bigint[];
begin
  select array_agg(distinct g.retailer_id) into v_retailer_ids from jsonb_to_recordset(p_rows) as g(retailer_id bigint);

  with given as materialized (
    select * from jsonb_to_recordset(p_rows) as g(
      retailer_id bigint, created_at timestamptz, name text, kind freshet.source_kind, url text,
      visibility_status freshet.visibility_status, upc_trusted boolean, expiry_hours integer,
      affiliate_network freshet.affiliate_network, affiliate_account_id text, affiliate_account_name text, affiliate_tracking_template text)
  ),
  added as (
    insert into freshet.sources (
      retailer_id, created_at, name, kind, url, visibility_status, upc_trusted, expiry_hours,
      affiliate_network, affiliate_account_id, affiliate_account_name, affiliate_tracking_template)
    select retailer_id, coalesce(created_at, now()), name, kind, url, visibility_status, upc_trusted, coalesce(expiry_hours, 48),
      affiliate_network, affiliate_account_id, affiliate_account_name, affiliate_tracking_template
    from given
    order by retailer_id, name
    on conflict (retailer_id, name) do nothing
    returning id
  ),
  changed as (
    update freshet.sources s
    set url = coalesce(g.url, s.url),
      expiry_hours = coalesce(g.expiry_hours, s.expiry_hours),
      affiliate_network = coalesce(g.affiliate_network, s.affiliate_network),
      affiliate_account_id = coalesce(g.affiliate_account_id, s.affiliate_account_id),
      affiliate_account_name = coalesce(g.affiliate_account_name, s.affiliate_account_name),
      affiliate_tracking_template = coalesce(g.affiliate_tracking_template, s.affiliate_tracking_template)
    from given g
    where s.retailer_id = g.retailer_id and s.name = g.name
      and (s.url, s.expiry_hours, s.affiliate_network, s.affiliate_account_id, s.affiliate_account_name, s.affiliate_tracking_template)
        is distinct from (
          coalesce(g.url, s.url), coalesce(g.expiry_hours, s.expiry_hours), coalesce(g.affiliate_network, s.affiliate_network),
          coalesce(g.affiliate_account_id, s.affiliate_account_id), coalesce(g.affiliate_account_name, s.affiliate_account_name),
          coalesce(g.affiliate_tracking_template, s.affiliate_tracking_template))
    returning s.id
  )
  select (select count(*) from added), (select count(*) from changed) into created, updated;

  update freshet.sources set is_display_primary = true
  where id in (
    select distinct on (s.retailer_id) s.id from freshet.sources s
    where s.retailer_id = any (v_retailer_ids) and s.kind = 'DIRECT' and s.visibility_status = 'ELIGIBLE'
      and not exists (select from freshet.sources p where p.retailer_id = s.retailer_id and p.is_display_primary)
    order by s.retailer_id, s.created_at, s.id);
  get diagnostics promoted = row_count;
end
$$;
