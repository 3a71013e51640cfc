-- Macros that turn a value into a cell: of a CSV file, or of a sheet.

-- An apostrophe in front keeps a spreadsheet from running a text as a formula, also one after blanks or invisible
-- characters. A text with an apostrophe in front gets one too, so that taking the first one away gives every text back.
create or replace macro guarded(value) as
case
  when regexp_matches(value, '^[''\pZ\pC]*[=+@＝＋－＠-]|^[''\t\r\n]') then '''' || value
  else value
end;

-- As in the documents: 2026-11-16T06:00:00.000Z, with six decimals where the last three are not zeros.
create or replace macro instant_text(value) as
regexp_replace(strftime(value, '%Y-%m-%dT%H:%M:%S.%fZ'), '(\.\d{3})000Z$', '\1Z');

-- Days since the day 0 of spreadsheets, in UTC.
create or replace macro date_number(value) as value - date '1899-12-30';
create or replace macro instant_number(value) as epoch_us(value) / 86400000000 + 25569;
