-- What is at work, and what has ended when: pg-boss indexes only jobs that wait. One entry a claim and one an end let counts of
-- a large queue be read from the index alone. Without it everything still works, more slowly.
create index job_common_freshet_state_idx on pgboss.job_common (name, state, completed_on) where state >= 'active';
