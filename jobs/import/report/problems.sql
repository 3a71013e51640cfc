-- What is wrong with an answer skips it; what is wrong elsewhere, such as in a list of names, has to be mended.
-- Needs problem_found, given_problems, candidate, given_names, placed.
insert into problem_found
select if(answer.source_file is null, 'to mend', 'skipped'), source_file, source_row, "column", "value", why
from given_problems
left join (select distinct source_file, source_row from candidate) as answer using (source_file, source_row);

insert into problem_found
select
  if(starts_with(reason, 'skipped on purpose: '), 'skipped on purpose', 'skipped'), source_file, source_row, null, cell, reason
from candidate
where reason is not null and not is_reported;

insert into problem_found
select 'left out', source_file, source_row, 'citations', concat_ws(': ', cell, unnest(unreadable)), 'a citation without a readable host'
from candidate
where reason is null and len(unreadable) > 0
union all
select
  'left out',
  source_file,
  source_row,
  'citations',
  concat_ws(': ', cell, array_to_string(unused, ' ')),
  'the citations of an answer without a text: its status is not success'
from candidate
where reason is null and len(unused) > 0
union all
select
  'left out', null, null, null, min(name), 'a name of several: it counts for the brand, or else for one of the competitors'
from given_names
where not is_blank(name)
group by brand_id, trim(folded(name))
having count(distinct coalesce(competitor_id, brand_id)) > 1;

insert into problem_found
select
  'merged',
  source_file,
  source_row,
  null,
  coalesce(cell, concat_ws(' row ', first.source_file, first.source_row) || ' stays'),
  case
    when copy > 1 then 'the same answer again'
    when is_at_once then 'another answer of the same prompt, engine and time: the first stays'
    else 'another answer of the same ' || if($is_weekly, 'week', 'day')
  end
from candidate
join placed on placed.candidate = candidate.rowid
where place > 1;
