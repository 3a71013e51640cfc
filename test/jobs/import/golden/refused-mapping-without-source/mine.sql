create table extra.given (name varchar not null);
create view names as select name from extra.given;
