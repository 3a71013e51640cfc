create table source.given (name varchar not null);
create view brands as selec;
