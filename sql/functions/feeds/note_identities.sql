-- Notes of the products that this chunk made: a better identity for an address that had a lesser one (S2 §3.3), and addresses
-- that differ in case alone (S2 §3.4). Looked up set-based, and only where there can be any.
-- Called by: ingest_feed_chunk. Locks: none.
create or replace function freshet.note_identities(p_run_id bigint, p_attempt integer, p_now timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_has_history boolean := freshet.last_processed_run(p_run_id) is not null;
  v_notes jsonb;
begin
  with made as (
    select o.source_id, o.id, o.identity_type, o.identity_value, o.url_hash, o.folded_hash, r.line
    from pg_temp.feed_known w join freshet.offers o on o.id = w.offer_id join pg_temp.feed_rows r using (n)
    where w.is_new and (v_has_history or o.identity_type = 'URL_HASH')
  ), addresses as (
    select source_id, url_hash, min(identity_type) as best from made where v_has_history group by source_id, url_hash
  ), known as (
    -- Once an address: where all rows of a file lead to one, each would go through all the others.
    select a.url_hash, old.*
    from addresses a
    join (values ('SKU'::freshet.identity_type), ('URL_HASH')) as lesser(identity_type) on lesser.identity_type > a.best
    cross join lateral (
      select o.identity_type, o.identity_value from freshet.offers o
      where o.source_id = a.source_id and o.url_hash = a.url_hash and o.identity_type = lesser.identity_type
        and o.identity_type in ('SKU', 'URL_HASH') and o.created_by_run_id is distinct from p_run_id
      limit 1
    ) old
  ), upgrades as (
    select distinct on (m.id) m.line, m.id, old.identity_type as old_type, old.identity_value as old_value,
      m.identity_type, m.identity_value
    from made m join known old using (url_hash)
    where old.identity_type > m.identity_type
    order by m.id, old.identity_type
  ), notes as (
    select line, id, 'IDENTITY_UPGRADE_DETECTED' as code,
      format('This address was known by %s %s and is now known by %s %s: a new product was made, the old one expires.',
        old_type, old_value, identity_type, identity_value) as message
    from upgrades
    union all
    select m.line, m.id, 'PATH_CASE_COLLISION',
      format('Another product (%s) has the same address but for the case of its letters.', other.id)
    from made m cross join lateral (
      select * from freshet.offers o
      where o.source_id = m.source_id and o.folded_hash = m.folded_hash and o.identity_type = 'URL_HASH' and o.id < m.id
        and o.url_hash <> m.url_hash
      limit 1
    ) other
    where m.identity_type = 'URL_HASH'
  )
  select jsonb_agg(jsonb_build_object('code', code, 'message', message, 'line', line, 'item', id::text)) into v_notes from notes;
  if v_notes is not null then
    perform freshet.sample_run_errors(
      p_run_id => p_run_id, p_attempt => p_attempt, p_samples => v_notes,
      p_totals => (select jsonb_object_agg(code, total) from (
        select n ->> 'code' as code, count(*) as total from jsonb_array_elements(v_notes) n group by 1
      ) counted),
      p_error_count => 0, p_now => p_now
    );
  end if;
end
$$;
