-- Refuses a decision about a run with FR051; the detail is the code that clients know.
-- Called by: approve_activation, reject_activation. Locks: none.
create or replace function freshet.refuse_decision(p_code text) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  if p_code is not null then
    raise exception 'The decision cannot be carried out: %.', p_code using errcode = 'FR051', detail = p_code,
      hint = 'Read the run again, then decide.';
  end if;
end
$$;
