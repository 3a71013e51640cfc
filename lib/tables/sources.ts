import type { Sources } from '../documents/sources.ts';
import { defineTable } from './table.ts';

export const sources = defineTable<Sources['sources'][number] & { rank: number }>({
  name: 'sources',
  row: 'One row for each brand and cited domain, at most 20 for a brand.',
  from: ['sources'],
  rowsOf: ({ documents }) =>
    (documents.sources?.sources ?? []).map((source, index) => ({ rank: index + 1, ...source })),
  columns: [
    ['rank', 'integer', 'place in the document, from 1', ({ rank }) => rank],
    ['domain', 'text', 'the cited host, without `www.`', ({ domain }) => domain],
    ['count', 'integer', 'citations in 14 days', ({ count }) => count],
    ['source_type', 'text', 'most common classification', ({ sourceType }) => sourceType],
    [
      'competitor_mentions',
      'integer',
      'mentions of competitors in the answers that cite it',
      (row) => row.competitorMentions,
    ],
    [
      'brand_mentions',
      'integer',
      'mentions of the brand in those answers',
      ({ brandMentions }) => brandMentions,
    ],
    ['gap', 'integer', '`competitor_mentions` − `brand_mentions`; may be negative', ({ gap }) => gap],
    ['answers', 'integer', 'answers that cite it', ({ answers }) => answers],
    ['is_own_domain', 'boolean', "the brand's own site", ({ isOwnDomain }) => isOwnDomain],
  ],
});

export const ownSite = defineTable<NonNullable<Sources['ownSite']>['perEngine'][number]>({
  name: 'own_site',
  row: 'One row for each brand with a readable domain and web-grounded engine with an answer in 14 days.',
  from: ['sources'],
  rowsOf: ({ documents }) => documents.sources?.ownSite?.perEngine ?? [],
  columns: [
    ['engine', 'text', 'slug of the engine', ({ slug }) => slug],
    ['answers', 'integer', 'answers of that engine in 14 days', ({ answers }) => answers],
    ['answers_citing', 'integer', 'those with a citation', ({ answersCiting }) => answersCiting],
    [
      'answers_citing_own_site',
      'integer',
      "those that cite the brand's site",
      (row) => row.answersCitingOwnSite,
    ],
  ],
});
