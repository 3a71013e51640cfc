create table source.given (name varchar not null);
create macro args() as (select content from read_text('args.json'));
create table other as select args();
create view workspaces as select id_of('x', name) as id, name as name from source.given;
