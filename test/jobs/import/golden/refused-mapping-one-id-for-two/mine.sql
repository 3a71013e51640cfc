create table source.given (name varchar not null);
create view workspaces as select id_of('x', 'same') as id, name as name from source.given;
