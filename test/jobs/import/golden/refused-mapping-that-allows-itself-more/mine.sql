create table source.given (name varchar not null);
set enable_external_access = true;
create view workspaces as select id_of('x', name) as id, name from source.given;
