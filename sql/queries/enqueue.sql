-- Puts one job into the queue $1. Answers its id; null if the queue takes one job a key and has it already.
select freshet.enqueue(
  p_queue => $1, p_payload => $2::jsonb, p_start_after => $3::timestamptz, p_singleton_key => $4::text, p_group_id => $5::text,
  p_priority => $6::integer
)::text as id
