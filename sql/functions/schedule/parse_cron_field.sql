-- One field of a cron expression as a mask: a character for each value from the least to the most, 1 where the field fits.
-- Masks rather than arrays, because the next value is then one strpos.
-- Called by: parse_cron. Locks: none. Raises FR031 at the character that is wrong.
create or replace function freshet.parse_cron_field(
  p_expr text,
  p_position integer, -- where the field begins in the expression
  p_text text,
  p_field text,
  p_least integer,
  p_most integer,
  p_names text default ''
) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  v_size constant integer := p_most - p_least + 1;
  v_position integer := p_position;
  v_mask text;
  v_item text;
  v_range text;
  v_step text;
  v_first text;
  v_from integer;
  v_to integer;
  v_part text;
begin
  if p_text = '*' then
    return repeat('1', v_size);
  end if;
  foreach v_item in array string_to_array(p_text, ',') loop
    v_range := split_part(v_item, '/', 1);
    v_first := split_part(v_range, '-', 1);
    v_step := case when v_range = v_item then '1' else substr(v_item, length(v_range) + 2) end;
    if v_range = '*' then
      v_from := p_least;
      v_to := p_most;
    else
      v_from := freshet.cron_value(v_first, p_least, p_names);
      v_to := case
        when v_first <> v_range then freshet.cron_value(substr(v_range, length(v_first) + 2), p_least, p_names)
        when v_range = v_item then v_from
        else p_most -- 7/10 goes on to the end of the field
      end;
    end if;

    if v_from is null or v_from not between p_least and p_most then
      perform freshet.refuse_cron(p_expr, v_position, p_field, case
        when v_item = '' then 'a value is missing.'
        when v_from is null then format('"%s" is not a value of this field.', left(v_first, 20))
        else format('%s is outside %s to %s.', v_from, p_least, p_most)
      end, freshet.cron_field_hint(p_field, p_least, p_most, p_names));
    elsif v_to is null or v_to not between p_least and p_most then
      perform freshet.refuse_cron(p_expr, v_position + length(v_first) + 1, p_field, case
        when v_to is null then format('"%s" does not end a range.', left(substr(v_range, length(v_first) + 2), 20))
        else format('%s is outside %s to %s.', v_to, p_least, p_most)
      end, freshet.cron_field_hint(p_field, p_least, p_most, p_names));
    elsif v_from > v_to then
      perform freshet.refuse_cron(p_expr, v_position, p_field, format('the range %s runs backwards.', v_range),
        'Write a range that wraps as two, such as 22-23,0-6. As the end of a range, Sunday is 7.');
    elsif translate(v_step, '0123456789', '') <> '' or length(v_step) not between 1 and 4 or v_step::integer not between 1 and v_size then
      perform freshet.refuse_cron(p_expr, v_position + length(v_range) + 1, p_field,
        format('"%s" is not a step of this field.', left(v_step, 20)),
        format('A step is a number from 1 to %s, such as */2. A period longer than the field takes several fields, or a fixed period.', v_size));
    end if;

    v_part := rpad(repeat('0', v_from - p_least) || rpad('', v_to - v_from + 1, rpad('1', v_step::integer, '0')), v_size, '0');
    v_mask := case when v_mask is null then v_part else (v_mask::varbit | v_part::varbit)::text end;
    v_position := v_position + length(v_item) + 1;
  end loop;
  return v_mask;
end
$$;
