-- What was told of alerts behind a place, in order.
select n.position, n.alert_id, n.severity, n.at,
  exists (select from freshet.alert_news e where e.alert_id = n.alert_id and e.severity > n.severity) as is_escalation
from freshet.alert_news n
where n.position > $1
order by n.position
limit $2
