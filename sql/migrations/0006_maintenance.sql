-- Maintenance is a schedule like any other. Times are spread, so that no two begin together; the clock plans the first ones.
insert into freshet.schedules (name, kind, queue, cron, payload) values
  ('reap runs', 'maintenance', 'maintenance', '*/10 * * * *', '{"task": "reap-runs"}'),
  ('prune run events', 'maintenance', 'maintenance', '7 * * * *', '{"task": "prune-run-events"}'),
  ('prune run errors', 'maintenance', 'maintenance', '22 * * * *', '{"task": "prune-run-errors"}'),
  ('prune schedule runs', 'maintenance', 'maintenance', '34 3 * * *', '{"task": "prune-schedule-runs"}'),
  ('prune pg_cron history', 'maintenance', 'maintenance', '44 3 * * *', '{"task": "prune-cron-history"}'),
  ('prune audit log', 'maintenance', 'maintenance', '54 3 * * *', '{"task": "prune-audit-log"}'),
  ('prune alerts', 'maintenance', 'maintenance', '4 4 * * *', '{"task": "prune-alerts"}')
on conflict (name) do nothing;
