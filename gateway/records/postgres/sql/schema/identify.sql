-- One row is the identity of this database: the start time of its server, and its oid within the server.
select pg_postmaster_start_time()::text || ' ' || oid::text as identity
from pg_database
where datname = current_database()
