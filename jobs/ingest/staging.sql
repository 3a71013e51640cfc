-- One row is one refused record that is kept, with its own text (`record_base64` if that is not UTF-8).
-- Makes reject, refused, repeated.
create table reject (file varchar, line bigint, reason varchar, record varchar, record_base64 varchar);

-- One row is one reason in one part of a file, with all records that are refused for it.
create table refused (file varchar, first_line bigint, reason varchar, records bigint);

-- One row is one record that was delivered before, with its own content or, `conflicting`, with other content.
create table repeated (file varchar, line bigint, conflicting boolean);
