-- One row of `reject` is one refused record that is kept, with its own text (`record_base64` if that is not UTF-8); one row of
-- `refused` is one reason in one part of a file, with all records that are refused for it; one row of `repeated` is one
-- record that was delivered before, with its own content or, `conflicting`, with other content.
create table reject (file varchar, line bigint, reason varchar, record varchar, record_base64 varchar);
create table refused (file varchar, first_line bigint, reason varchar, records bigint);
create table repeated (file varchar, line bigint, conflicting boolean);
