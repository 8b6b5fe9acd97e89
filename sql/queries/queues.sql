-- Every queue of the program by name, with what lies in it at $1.
select name, dead_letter as "deadLetter", policy, retry_limit as "retryLimit", expire_seconds as "expireSeconds",
  heartbeat_seconds as "heartbeatSeconds", deletion_seconds as "deletionSeconds", waiting, active, delayed, failed, dead,
  oldest_seconds as "oldestSeconds", completed_minute as "completedMinute", completed_hour as "completedHour"
from freshet.queue_stats($1)
