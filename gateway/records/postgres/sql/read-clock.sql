-- One row is the server's clock, in milliseconds since the Unix epoch.
select (extract(epoch from clock_timestamp()) * 1000)::float8 as now
