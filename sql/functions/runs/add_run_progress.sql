-- Adds to a run's counters: {"rows": 5000} means 5,000 more. Call it in the transaction that wrote what is counted, so that
-- the counters tell of what is there. They are always added; an event comes at most every 250 ms a run, and the next one, or
-- the run's end, carries what was passed over. A clock that was set back does not silence a run.
-- Called by: ingest_feed_chunk, skip_parent_offers, src/domain/runs/context.ts. Locks: the run's row. Not idempotent. Raises FR021 if another attempt owns the run or
-- it has ended. Answers whether there was an event.
create or replace function freshet.add_run_progress(p_run_id bigint, p_attempt integer, p_counters jsonb, p_now timestamptz)
returns boolean
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs := freshet.own_run(p_run_id, p_attempt);
  v_is_due boolean := v_run.progress_at is null or p_now < v_run.progress_at
    or p_now >= v_run.progress_at + interval '250 milliseconds';
begin
  update freshet.runs
  set updated_at = p_now, progress_at = case when v_is_due then p_now else progress_at end,
    counters = counters || coalesce((
      select jsonb_object_agg(d.key, coalesce((v_run.counters ->> d.key)::bigint, 0) + d.value::bigint)
      from jsonb_each_text(p_counters) d
    ), '{}')
  where id = p_run_id;
  if v_is_due then
    perform freshet.append_run_event(p_run_id, 'PROGRESS', p_now);
  end if;
  return v_is_due;
end
$$;
