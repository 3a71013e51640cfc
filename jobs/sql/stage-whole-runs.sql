-- One row that this adds is one line of a runs file, as DuckDB's own reader has it, which knows no line numbers. `id` is
-- NULL where a line has to be looked at alone: check-runs.sql says then whether it is refused, and why. The reader leaves
-- out blank lines, takes trailing commas and NaN, and reads what is no list as NULL, as it does a list that is missing.
insert into staged_runs
with
listed as (
  select
    to_uuid(id) as id,
    to_uuid(brand_id) as brand_id,
    to_uuid(prompt_id) as prompt_id,
    engine,
    to_date(cycle_date) as cycle_date,
    instant_of(ran_at) as ran_at,
    status,
    mentions_of(mentions) as mentions,
    plain_citations_of(citations) as citations,
    citation_urls_of(citations) as citation_urls,
    mentions is not null and citations is not null as are_lists
  from read_json(
    $path,
    format = 'newline_delimited',
    records = 'true',
    ignore_errors = true,
    columns = {
      id: 'VARCHAR',
      brand_id: 'VARCHAR',
      prompt_id: 'VARCHAR',
      engine: 'VARCHAR',
      cycle_date: 'VARCHAR',
      ran_at: 'VARCHAR',
      status: 'VARCHAR',
      mentions: 'STRUCT(name JSON, subject VARCHAR, competitor_id VARCHAR, "position" JSON, sentiment VARCHAR)[]',
      citations: 'STRUCT(url JSON, source_type VARCHAR)[]'
    }
  )
),
final as (
  select
    $file as file,
    null as line,
    case
      when are_lists
        and run_fault(id, brand_id, prompt_id, engine, cycle_date, ran_at, status, $engines) is null
        and answer_fault(status, mentions, citations, $source_types) is null
        then id
    end as id,
    brand_id,
    prompt_id,
    engine,
    cycle_date,
    ran_at,
    status,
    mentions,
    citations,
    citation_urls
  from listed
)
select * from final;
