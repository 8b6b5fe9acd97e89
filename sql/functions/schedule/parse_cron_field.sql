-- One field of a cron expression as a mask: a character for each value from the least to the most, 1 where the field fits.
-- Masks rather than arrays, because the next value is then one strpos.
-- Called by: parse_cron. Locks: none. Raises FR031 at the character that is wrong.
create or replace function freshet.parse_cron_field(p_expr text, p_number integer, p_text text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  v_least constant integer := case when p_number in (3, 4) then 1 else 0 end;
  v_most constant integer := (array[59, 23, 31, 12, 7])[p_number];
  v_size constant integer := v_most - v_least + 1;
  v_hint constant text := 'It takes %s to %s%s, as *, lists (1,15), ranges (1-5) and steps (*/5, 1-30/5, 7/10). L, W, #, H and ? are not supported.';
  v_offset integer := 0;
  v_mask text;
  v_item text;
  v_range text;
  v_first text;
  v_second text;
  v_step text;
  v_from integer;
  v_to integer;
  v_part text;
  v_problem text;
begin
  foreach v_item in array string_to_array(p_text, ',') loop
    v_range := split_part(v_item, '/', 1);
    v_step := case when v_range = v_item then '1' else substr(v_item, length(v_range) + 2) end;
    if v_range = '*' then
      v_from := v_least;
      v_to := v_most;
    else
      v_first := split_part(v_range, '-', 1);
      v_from := freshet.cron_value(v_first, p_number);
      if v_first = v_range then
        v_to := case when v_range = v_item then v_from else v_most end; -- 7/10 goes on to the end of the field
      else
        v_second := substr(v_range, length(v_first) + 2);
        v_to := freshet.cron_value(v_second, p_number);
      end if;
      v_problem := case
        when v_first = '' then 'a value is missing.'
        when v_from is null then format('"%s" is not a value of this field.', left(v_first, 20))
        when v_from not between v_least and v_most then format('%s is outside %s to %s.', v_first, v_least, v_most)
      end;
      if v_problem is null and v_first <> v_range then
        v_problem := case
          when v_to is null then format('"%s" does not end a range.', left(v_second, 20))
          when v_to not between v_least and v_most then format('%s is outside %s to %s.', v_second, v_least, v_most)
        end;
        v_offset := v_offset + case when v_problem is null then 0 else length(v_first) + 1 end;
      end if;
      if v_problem is not null then
        perform freshet.refuse_cron(p_expr, p_number, v_offset, v_problem, format(v_hint, v_least, v_most,
          case p_number when 4 then ' or JAN to DEC' when 5 then ' or SUN to SAT (7 is Sunday too)' end));
      elsif v_from > v_to then
        perform freshet.refuse_cron(p_expr, p_number, v_offset, format('the range %s runs backwards.', v_range),
          'Write a range that wraps as two, such as 22-23,0-6. As the end of a range, Sunday is 7.');
      end if;
    end if;
    if v_step <> '1' and (
      v_step = '' or length(v_step) > 4 or translate(v_step, '0123456789', '') <> '' or v_step::integer not between 1 and v_size
    ) then
      perform freshet.refuse_cron(p_expr, p_number, v_offset + length(v_range) + 1, format('"%s" is not a step of this field.', left(v_step, 20)),
        format('A step is a number from 1 to %s. What happens less often takes a coarser field, or a fixed period.', v_size));
    end if;
    v_part := rpad(repeat('0', v_from - v_least) || rpad('', v_to - v_from + 1, rpad('1', v_step::integer, '0')), v_size, '0');
    v_mask := case when v_mask is null then v_part else (v_mask::varbit | v_part::varbit)::text end;
    v_offset := v_offset + length(v_item) + 1;
  end loop;
  return v_mask;
end
$$;
