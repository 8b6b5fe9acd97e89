-- Notes what was wrong with many rows of the run $1.
select freshet.sample_run_errors(
  p_run_id => $1, p_attempt => $2, p_samples => $3, p_totals => $4, p_error_count => $5, p_now => $6
)
