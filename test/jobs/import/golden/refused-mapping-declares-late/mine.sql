create macro one() as 1;
create table source.given (name varchar not null);
