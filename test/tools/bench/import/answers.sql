-- One row is one answer of a made-up spreadsheet: 200 brands, 50 prompts each, ten answers a week to each prompt.
select
  'Brand ' || r % 200 as brand,
  'Which tool number ' || r // 200 % 50 || ' is the best for teams of that kind?' as prompt,
  ['ChatGPT', 'Claude', 'Gemini', 'Perplexity', 'AI Overviews', 'AI Mode', 'DeepSeek', 'Grok', 'ChatGPT', 'Perplexity'][
    1 + r // 10000 % 10
  ] as engine,
  strftime(
    timestamp '2026-01-05 04:00:00' + to_days((7 * (r // 100000) + if(r // 10000 % 10 >= 8, 3, 0))::integer),
    '%Y-%m-%dT%H:%M:%SZ'
  ) as ran_at,
  repeat('Teams of all sizes compare prices, support and integrations before they choose. ', 4)
  || 'Many name **Rival ' || r % 7 || '** first, then Brand ' || r % 200
  || if(r % 3 = 0, ', and Rival 9 Cloud', '') || '. '
  || repeat('Reviews differ, so a short trial with real work says more than any list. ', 4) as answer,
  'https://www.example.com/reviews/' || r % 1000 || ' https://docs.example.org/' || r % 77 as citations
from range($answers::bigint) as answers(r)
