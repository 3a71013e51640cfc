create table source.given (name varchar not null);
create view names as select name from source.given;
