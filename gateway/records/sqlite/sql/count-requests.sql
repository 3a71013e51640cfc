-- One row is a workspace's minute count after this transaction's requests; the same transaction has read it before.
insert into minute_counts (minute, requests, workspace) values ($1, $2, $3)
on conflict (workspace) do update set minute = excluded.minute, requests = excluded.requests
