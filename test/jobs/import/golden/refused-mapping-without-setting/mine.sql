create table source.given (name varchar not null);
create view workspaces as select id_of('x', name) as id, setting('needed') as name from source.given;
