-- One row names this database among all that can be reached: a server's start and a database's number within it.
select pg_postmaster_start_time()::text || ' ' || oid::text as identity
from pg_database
where datname = current_database()
