-- Notes what was wrong with many rows of a run at once: how many of each code there were, and samples, of which the first 100 a
-- code are kept. p_error_count says how many of them count as errors: notes do not.
-- Called by: src/domain/runs/context.ts, write_feed_prices, note_identities, note_repeats, skip_parent_offers. Locks: the run's row. Not idempotent.
-- Raises FR021 if another attempt owns the run or it has ended.
create or replace function freshet.sample_run_errors(
  p_run_id bigint,
  p_attempt integer,
  p_samples jsonb,
  p_totals jsonb,
  p_error_count integer,
  p_now timestamptz
) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform freshet.own_run(p_run_id, p_attempt);
  insert into freshet.run_errors (run_id, at, code, message, line, item, details)
  select p_run_id, p_now, s.code, s.message, s.line, s.item, coalesce(s.details, '{}')
  from (
    select *, row_number() over (partition by code order by place) as number
    from rows from (jsonb_to_recordset(p_samples) as (code text, message text, line integer, item text, details jsonb))
      with ordinality as given(code, message, line, item, details, place)
  ) s
  left join freshet.run_error_totals t on t.run_id = p_run_id and t.code = s.code
  where s.number + coalesce(t.total, 0) <= 100
  order by s.place;
  insert into freshet.run_error_totals as t (run_id, code, total)
  select p_run_id, key, value::integer from jsonb_each_text(p_totals)
  on conflict (run_id, code) do update set total = t.total + excluded.total;
  update freshet.runs set error_count = error_count + p_error_count, updated_at = p_now where id = p_run_id;
end
$$;
