-- What feeds need done by the clock besides their runs.
insert into freshet.schedules (name, kind, queue, cron, payload) values
  ('warn of expiring offers', 'maintenance', 'maintenance', '3-53/10 * * * *', '{"task": "warn-expiring-offers"}'),
  ('shelve expired offers', 'maintenance', 'maintenance', '14 2 * * *', '{"task": "shelve-expired-offers"}'),
  ('prune feed runs', 'maintenance', 'maintenance', '24 2 * * *', '{"task": "prune-feed-runs"}')
on conflict (name) do nothing;
