-- One row is something that a person should know of, with its place: a row of the file of --problems. The kinds are in the
-- order of their urgency: what stops the import, an answer that is not in the drop for what is wrong with it, what else is
-- not in the drop, and what was asked for.
-- Makes problem_found, answers_missing.
create type finding_kind as enum ('to mend', 'skipped', 'left out', 'merged', 'skipped on purpose', 'missing');
create temp table problem_found (
  kind finding_kind, file varchar, "row" bigint, "column" varchar, "value" varchar, why varchar
);

-- One row is one reason why answers are missing from the export; NULL where nobody knows how many.
create temp table answers_missing (reason varchar, answers bigint);
