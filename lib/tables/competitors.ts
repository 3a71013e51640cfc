import type { Competitors } from '../documents/competitors.ts';
import type { BrandInSnapshot } from './table.ts';
import { defineTable } from './table.ts';

type Row = Competitors['shareOfVoice'][number] & { rank: number };
type Gap = NonNullable<Row['behindLeader']>;

const FIRST = 'first row, or too few prompts';

export const shareOfVoice = defineTable<Row>({
  name: 'share_of_voice',
  row: 'One row for each brand and name whose mentions are counted: the brand and its competitors.',
  from: ['competitors'],
  rowsOf: ranked,
  columns: [
    ['rank', 'integer', 'place in the document, from 1; ties have no order', ({ rank }) => rank],
    ['name', 'text', 'the brand or a competitor', ({ name }) => name],
    ['is_brand', 'boolean', "the brand's own row", ({ isBrand }) => isBrand],
    ['mentions', 'integer', 'mentions in 14 days', ({ mentions }) => mentions],
    ['sov_pct', 'number', 'share of all mentions, %', ({ sovPct }) => sovPct],
    ['low_pct', 'number', 'lower bound of the 95 % Wilson interval, %', ({ lowPct }) => lowPct],
    ['high_pct', 'number', 'upper bound, %', ({ highPct }) => highPct],
    ['half_width_pp', 'number', "half of the interval's width", ({ halfWidthPp }) => halfWidthPp],
    ['tied_with_brand', 'boolean', "the interval overlaps the brand's", (row) => row.tiedWithBrand],
    ['tied_for_lead', 'boolean', 'statistically tied with the first row', (row) => row.tiedForLead],
    ['answers_naming', 'integer', 'answers that name it', (row) => row.answersNaming],
    ['presence_pct', 'number', 'share of all answers, %', ({ presencePct }) => presencePct],
    ['presence_low_pct', 'number', 'lower bound of its 95 % interval, %', (row) => row.presenceLowPct],
    ['presence_high_pct', 'number', 'upper bound, %', (row) => row.presenceHighPct],
    ['gap_pp', 'number', 'distance to the first row', behind('gapPp'), FIRST],
    ['gap_low_pp', 'number', 'lower bound of its 95 % interval, by prompt', behind('lowPp'), FIRST],
    ['gap_high_pp', 'number', 'upper bound', behind('highPp'), FIRST],
    ['is_behind', 'boolean', 'behind the first row, by prompt', behind('isBehind'), FIRST],
  ],
});

function ranked({ documents }: BrandInSnapshot): Row[] {
  return (documents.competitors?.shareOfVoice ?? []).map((row, index) => ({ rank: index + 1, ...row }));
}

function behind(field: keyof Gap) {
  return (row: Row) => row.behindLeader?.[field];
}

type OnEngine = Pick<Row, 'rank' | 'name' | 'isBrand'> & Row['perEngine'][number] & { answers: number };

export const shareOfVoiceByEngine = defineTable<OnEngine>({
  name: 'share_of_voice_by_engine',
  row: 'One row for each brand, name whose mentions are counted, and engine with an answer in 14 days.',
  from: ['competitors'],
  rowsOf: (given) =>
    ranked(given).flatMap(({ rank, name, isBrand, perEngine }) =>
      (perEngine ?? []).map((counts, at) => ({
        rank,
        name,
        isBrand,
        ...counts,
        answers: given.documents.competitors!.perEngine[at]!.answers,
      })),
    ),
  columns: [
    ['rank', 'integer', 'place in the list of all engines, from 1', ({ rank }) => rank],
    ['name', 'text', 'the brand or a competitor', ({ name }) => name],
    ['is_brand', 'boolean', 'the brand itself', ({ isBrand }) => isBrand],
    ['engine', 'text', 'slug of the engine', ({ slug }) => slug],
    ['mentions', 'integer', 'mentions on that engine in 14 days', ({ mentions }) => mentions],
    ['answers_naming', 'integer', 'answers of that engine that name it', (row) => row.answersNaming],
    ['answers', 'integer', 'answers of that engine in 14 days', ({ answers }) => answers],
  ],
});
