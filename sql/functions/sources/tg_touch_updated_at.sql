-- Keeps updated_at true whoever writes: the API, a job or a person with psql.
-- Called by: the triggers _100_touch_updated_at. Locks: none.
create or replace function freshet.tg_touch_updated_at() returns trigger
language plpgsql volatile set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
