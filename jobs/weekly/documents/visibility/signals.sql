-- One row is a brand that was named in the window: its mentions by sentiment, the answers that name it, and the sum
-- over them of its best position there.
-- Needs window_mention.
-- Feeds signals.netSentiment, signals.positive, signals.neutral, signals.negative, signals.avgPosition, signals.mentions,
-- signals.answersNaming.
with
answer as (
  select
    brand_no,
    run_no,
    count(*) as mentions,
    count(*) filter (where sentiment = 'positive') as positive,
    count(*) filter (where sentiment = 'neutral') as neutral,
    count(*) filter (where sentiment = 'negative') as negative,
    min(position) as best_position
  from window_mention
  where competitor_no is null
  group by brand_no, run_no
)
select
  brand_no as "brandNo",
  sum(mentions)::integer as mentions,
  sum(positive)::integer as positive,
  sum(neutral)::integer as neutral,
  sum(negative)::integer as negative,
  count(*)::integer as "answersNaming",
  sum(best_position) as "positionSum"
from answer
group by brand_no
order by "brandNo"
