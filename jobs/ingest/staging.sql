-- One row of `reject` is one record refused, with its own text (`record_base64` if that is not UTF-8); one row of `repeated`
-- is one record that was delivered before, with its own content or, `conflicting`, with other content.
create table reject (file varchar, line bigint, reason varchar, record varchar, record_base64 varchar);
create table repeated (file varchar, line bigint, conflicting boolean);
