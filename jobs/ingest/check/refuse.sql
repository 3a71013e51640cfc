-- Takes the records of the table `refusing` (line, reason, record, record_base64), which are of the part of $file that begins
-- with $first_line: counts all of them, and keeps those that may be among the first $kept of the file and reason.
-- Needs reject, refused, refusing.
insert into reject by name
with
before as (
  select reason from refused where file = $file and first_line < $first_line group by reason having sum(records) >= $kept
),
numbered as (
  select *, row_number() over (partition by reason order by line) as place
  from refusing
  anti join before using (reason)
)
select $file as file, line, reason, record, record_base64 from numbered where place <= $kept;

insert into refused by name
select $file as file, $first_line as first_line, reason, count(*) as records from refusing group by reason;
