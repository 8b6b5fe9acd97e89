-- Notes that something was wrong with one row or item of the run $1.
select freshet.sample_run_error(
  p_run_id => $1, p_attempt => $2, p_code => $3, p_message => $4, p_now => $5, p_line => $6, p_item => $7, p_details => $8
)
