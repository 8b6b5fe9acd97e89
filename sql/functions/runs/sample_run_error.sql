-- Notes that something was wrong with one row or item of a run. Every one is counted, the first 100 of each code are kept in
-- full: a file with a million bad rows must not fill the disk with the same sentence.
-- Called by: src/domain/runs/context.ts. Locks: the run's row. Not idempotent. Raises FR021 if another attempt owns the run or
-- it has ended. Answers whether this one was kept.
create or replace function freshet.sample_run_error(
  p_run_id bigint,
  p_attempt integer,
  p_code text,
  p_message text,
  p_now timestamptz,
  p_line integer default null,
  p_item text default null,
  p_details jsonb default null
) returns boolean
language plpgsql volatile set search_path = ''
as $$
declare
  v_total integer;
begin
  perform freshet.own_run(p_run_id, p_attempt);
  insert into freshet.run_error_totals as t (run_id, code, total) values (p_run_id, p_code, 1)
  on conflict (run_id, code) do update set total = t.total + 1
  returning total into v_total;
  update freshet.runs set error_count = error_count + 1, updated_at = p_now where id = p_run_id;
  if v_total > 100 then
    return false;
  end if;
  insert into freshet.run_errors (run_id, at, code, message, line, item, details)
  values (p_run_id, p_now, p_code, p_message, p_line, p_item, coalesce(p_details, '{}'));
  return true;
end
$$;
