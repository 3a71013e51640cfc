-- One row per snapshot, brand and web-grounded engine with an answer: ownSite of the sources document. None if the brand's
-- domain is unreadable.
select
  key.*,
  entry.slug as engine,
  entry.answers as answers,
  entry.answersCiting as answers_citing,
  entry.answersCitingOwnSite as answers_citing_own_site
from entries_of(sources.ownSite.perEngine)
order by key.sequence, place, number
