-- One row is the minute count of a workspace, which admission only updates.
insert into minute_counts (workspace, minute, requests) values (?1, 0, 0) on conflict do nothing
