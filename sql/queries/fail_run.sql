-- Ends the run $1 badly, for its attempt $2 or (null) for whichever is there. Answers whether it had not ended yet.
select freshet.fail_run(
  p_run_id => $1, p_attempt => $2, p_code => $3, p_message => $4, p_hint => $5, p_now => $6, p_is_counted => $7
) as "isEnded"
