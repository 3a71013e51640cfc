-- What a mapping found in cells, when others have to be mended anyway and no answer is made.
-- Needs problem_found, given_problems.
insert into problem_found
select 'to mend', source_file, source_row, "column", "value", why from given_problems
