create table source.given (name varchar not null);
