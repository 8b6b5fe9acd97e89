-- Adds or updates sources by retailer and name, then gives every retailer concerned that has no display primary its
-- oldest DIRECT source as one (S2 §18.2: by created_at, then id). Kind, visibility and trust of a known source stay.
-- Called by: importSources. Locks: the rows it writes. Idempotent: the same list again changes nothing.
create or replace function freshet.import_sources(p_rows jsonb, out created integer, out updated integer)
language plpgsql volatile set search_path = ''
as $$
declare
  v_retailer_ids bigint[];
begin
  with written as (
    insert into freshet.sources as s (
      retailer_id, created_at, name, kind, url, visibility_status, upc_trusted, expiry_hours,
      affiliate_network, affiliate_account_id, affiliate_account_name, affiliate_tracking_template)
    select g.retailer_id, coalesce(g.created_at, now()), g.name, g.kind, g.url, g.visibility_status, g.upc_trusted, coalesce(g.expiry_hours, 48),
      g.affiliate_network, g.affiliate_account_id, g.affiliate_account_name, g.affiliate_tracking_template
    from jsonb_to_recordset(p_rows) as g(
      retailer_id bigint, created_at timestamptz, name text, kind freshet.source_kind, url text,
      visibility_status freshet.visibility_status, upc_trusted boolean, expiry_hours integer,
      affiliate_network freshet.affiliate_network, affiliate_account_id text, affiliate_account_name text, affiliate_tracking_template text)
    order by g.retailer_id, g.name
    on conflict (retailer_id, name) do update
    set url = coalesce(excluded.url, s.url),
      affiliate_network = coalesce(excluded.affiliate_network, s.affiliate_network),
      affiliate_account_id = coalesce(excluded.affiliate_account_id, s.affiliate_account_id),
      affiliate_account_name = coalesce(excluded.affiliate_account_name, s.affiliate_account_name),
      affiliate_tracking_template = coalesce(excluded.affiliate_tracking_template, s.affiliate_tracking_template)
    where (s.url, s.affiliate_network, s.affiliate_account_id, s.affiliate_account_name, s.affiliate_tracking_template) is distinct from (
      coalesce(excluded.url, s.url), coalesce(excluded.affiliate_network, s.affiliate_network),
      coalesce(excluded.affiliate_account_id, s.affiliate_account_id), coalesce(excluded.affiliate_account_name, s.affiliate_account_name),
      coalesce(excluded.affiliate_tracking_template, s.affiliate_tracking_template))
    returning retailer_id, (xmax = 0) as is_new
  )
  select count(*) filter (where is_new), count(*) filter (where not is_new), array_agg(distinct retailer_id)
  into created, updated, v_retailer_ids from written;

  update freshet.sources set is_display_primary = true
  where id in (
    select distinct on (s.retailer_id) s.id from freshet.sources s
    where s.retailer_id = any (v_retailer_ids) and s.kind = 'DIRECT'
      and not exists (select from freshet.sources p where p.retailer_id = s.retailer_id and p.is_display_primary)
    order by s.retailer_id, s.created_at, s.id);
end
$$;
