-- One row that this changes is a run that was just staged and has no line number yet. Rows are added in the order of the
-- file, after all that are there, and counting them up once more by a window would take as long as to read the file.
update staged_runs
set line = rowid - (select min(rowid) from staged_runs where line is null) + 1
where line is null;
