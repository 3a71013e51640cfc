create table source.given (name varchar not null);
create view workspaces as select null as id, name from source.given;
