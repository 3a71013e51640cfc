-- One row is a text of the slice that JSON cannot contain as it is.
with
text as (
  select distinct entity as text from identified
  union
  select text from prompt
  where brand_no between $first_brand and $last_brand
)
select text from text
where regexp_matches(text, '["\\\x00-\x1F]')
