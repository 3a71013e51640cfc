-- One row is one staged record that was delivered before, in the lake or earlier in this delivery; `conflicting`
-- says whether its content differs from the first one's (docs/ingest.md). `known_record` is what the lake has of the
-- cycles that the ids in question belong to.
-- Needs repeated, known_record, repeated_id, staged_record.
insert into repeated by name
with
delivered as (
  from known_record semi join repeated_id using (id)
  union all by name
  from staged_record semi join repeated_id using (id)
),
-- Records of the lake have no file, and are the first.
ranked as (
  select
    file,
    line,
    row_number() over earliest as place,
    row(*columns(* exclude (file, line, id))) as content,
    content is distinct from first(content) over earliest as conflicting
  from delivered
  window earliest as (partition by id order by file nulls first, line)
)
select file, line, conflicting from ranked where place > 1;
