-- One row is a plan that includes API access.
select name, requests_per_minute as "requestsPerMinute" from plans order by name
