import type { BrandInSnapshot } from './table.ts';
import { defineTable } from './table.ts';

export const brands = defineTable<BrandInSnapshot>({
  name: 'brands',
  row: 'One row for each brand.',
  from: ['visibility', 'competitors', 'sources'],
  rowsOf: (given) => [given],
  columns: [
    ['brand_domain', 'text', 'website as entered; may be empty', ({ brand }) => brand.domain],
    ['brand_created_at', 'timestamp', 'when the brand was created, UTC', ({ brand }) => brand.createdAt],
    ['methodology_version', 'text', 'the version of the methodology', (given) => given.methodologyVersion],
    [
      'overall_visibility',
      'number',
      'mean of the scores, %; 0 if nothing has run',
      (given) => given.documents.visibility?.overallVisibility,
    ],
    ['answers', 'integer', 'answers of all engines in 14 days', signal('answers')],
    ['answers_naming', 'integer', 'those that name the brand', signal('answersNaming')],
    ['mentions', 'integer', 'mentions of the brand in 14 days', signal('mentions')],
    ['positive', 'integer', 'those classified as positive', signal('positive')],
    ['neutral', 'integer', 'those classified as neutral', signal('neutral')],
    ['negative', 'integer', 'those classified as negative', signal('negative')],
    ['net_sentiment', 'integer', '−100 to 100', signal('netSentiment'), 'no mentions'],
    [
      'avg_position',
      'number',
      'mean position in answers that name it; 1 is first',
      signal('avgPosition'),
      'no mentions',
    ],
    [
      'total_mentions',
      'integer',
      'mentions of the brand and its competitors in 14 days',
      ofCompetitors('totalMentions'),
    ],
    [
      'noise_floor_pp',
      'number',
      'smallest gap between two shares that means anything',
      ofCompetitors('noiseFloorPp'),
    ],
    ['source_answers', 'integer', 'answers of web-grounded engines in 14 days', ofSources('answers')],
    ['answers_citing', 'integer', 'those with a citation', ofSources('answersCiting')],
    [
      'own_site_citations',
      'integer',
      "citations of the brand's own site in 14 days",
      ownSite('citations'),
      'domain unreadable',
    ],
    ['own_site_answers', 'integer', 'answers that cite it', ownSite('answers'), 'domain unreadable'],
  ],
});

type Signals = NonNullable<BrandInSnapshot['documents']['visibility']>['signals'];

function signal(field: keyof Signals) {
  return ({ documents }: BrandInSnapshot) => documents.visibility?.signals[field];
}

function ofCompetitors(field: 'totalMentions' | 'noiseFloorPp') {
  return ({ documents }: BrandInSnapshot) => documents.competitors?.[field];
}

function ofSources(field: 'answers' | 'answersCiting') {
  return ({ documents }: BrandInSnapshot) => documents.sources?.[field];
}

function ownSite(field: 'citations' | 'answers') {
  return ({ documents }: BrandInSnapshot) => documents.sources?.ownSite?.[field];
}
