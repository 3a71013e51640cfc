import { documentKinds } from '../../../lib/documents/kinds.ts';
import { brandId, exampleDocuments } from '../../gateway/described-gateway.ts';
import { brand } from '../../snapshots/weeks.ts';

/** In its input, `the snapshot of` a day stands for the id. Without a server: the one that has all settings. */
export type Call = [workspace: string, tool: string, input: object, server?: string];

const call = (workspace: string, tool: string) => (input: object) => [workspace, tool, input] satisfies Call;
const read = call('examples', 'get_document');
const readPast = call('weeks', 'get_document');
const compare = call('weeks', 'compare_weeks');
const readLarge = call('large', 'get_document');

const [ofExample, ofWeeks] = [{ brand: brandId }, { brand: brand.id, document: 'prompts' }];
const readWeek = (week: string) => readPast({ ...ofWeeks, week });
const visibility = { ...ofExample, document: 'visibility' };
const results = { ...ofExample, document: 'results' };
const sources = { ...ofExample, document: 'sources' };
const verifying = { brand: brandId.toUpperCase(), document: 'competitors' };
const { promptId } = exampleDocuments.stability.prompts[0]!;
const promptIds = [promptId.toUpperCase()];

/** A call of each tool. */
export const callOfEach: Call[] = [
  ['examples', 'week', {}],
  ['examples', 'list_brands', {}],
  ['examples', 'list_snapshots', {}],
  ['examples', 'get_document', visibility],
  ['weeks', 'compare_weeks', { brand: brand.id }],
  ['examples', 'verify_document', sources],
];

/** Calls by the name of the golden file with what they return. */
export const calls: Record<string, Call[]> = {
  documents: [
    ...documentKinds.map((document) => read({ ...ofExample, document })),
    read({ ...visibility, trend: true, engines: ['grok', 'claude'] }),
    read({ ...results, engines: ['ai_overview', 'gemini', 'grok'], change: 'lost' }),
    read({ ...results, change: 'won' }),
    read({ ...results, promptIds: ['00000000-0000-4000-8000-000000000000'] }),
    read({ ...ofExample, document: 'stability', promptIds, engines: ['chatgpt'] }),
    read({ ...ofExample, document: 'prompts', promptIds }),
    read({ ...ofExample, document: 'timeline', engines: ['gemini'], limit: 2, offset: 1 }),
    read({ ...ofExample, document: 'competitors', limit: 1, offset: 7 }),
    read({ ...sources, offset: 100 }),
    read({ brand: ' rillBAY ', document: 'prompts' }),
    ['many', 'get_document', { ...visibility, engines: ['grok'] }],
    ['examples', 'list_brands', { offset: 1, limit: 1 }],
    ['examples', 'list_snapshots', { limit: 1 }],
  ],
  weeks: [
    ['weeks', 'list_snapshots', {}],
    ['weeks', 'week', {}],
    ['weeks', 'week', { week: '2026-02-08' }],
    ['many', 'week', {}],
    ['many', 'week', { offset: 1, limit: 1 }],
    ...['2026-02-08', '2026-02-28', '2026-02-01', '2026-01-25', 'none'].map(readWeek),
    ...['2026-02-10', '2026-02-02', '2026-01-19'].map((day) => readWeek(`the snapshot of ${day}`)),
    compare({ brand: 'acme' }),
    compare({ brand: 'acme', before: '2026-02-02', after: 'the snapshot of 2026-02-10' }),
    compare({ brand: 'acme', before: '2026-02-09', after: '2026-02-02' }),
    compare({ brand: 'acme', before: '2026-02-02', after: '2026-02-02' }),
    compare({ brand: 'acme', after: '2026-02-02' }),
  ],
  'cut-results': [
    ...[0, 3, 4, 5].map((offset) => readLarge({ ...results, offset })),
    readLarge(visibility),
    ...['list_brands', 'week'].map((tool): Call => ['large', tool, {}]),
  ],
  verified: [
    ['examples', 'verify_document', { ...verifying, week: '2026-11-20' }],
    ['examples', 'verify_document', verifying, 'another public key'],
    ['examples', 'verify_document', verifying, 'a broken public key'],
    ['examples', 'verify_document', verifying, 'no public key'],
    ['examples', 'verify_document', verifying, 'a gateway that lies about the day'],
    ['withdrawn', 'verify_document', sources],
  ],
  refused: [
    read({ ...visibility, engine: 'gemini' }),
    read({ ...visibility, engines: ['gemini', 'altavista'] }),
    read({ ...visibility, limit: 3, change: 'won', promptIds }),
    read({ ...sources, engines: ['gemini'], trend: true }),
    read({ ...sources, trend: true }),
    read({ ...sources, limit: 0 }),
    read({ ...sources, offset: -1, week: '' }),
    read({ ...ofExample, document: 'everything' }),
    read({ brand: 'Rillbays', document: 'prompts' }),
    ...['Twin', 'twin', 'cafe\u0301', 'Acme'].map((name) => readPast({ ...ofWeeks, brand: name })),
    readPast(visibility),
    ['examples', 'list_brands', {}, 'a gateway with an old list'],
    ...callOfEach.map(([, tool, input]): Call => ['empty', tool, input]),
    ['empty', 'get_document', { brand: 'Acme', document: 'prompts' }],
    ['withdrawn', 'list_snapshots', {}],
    ['withdrawn', 'week', {}],
    ...callOfEach.map(([, tool, input]): Call => ['an unknown key', tool, input]),
    ['no API in the plan', 'week', {}],
    ['no allowance left', 'list_brands', {}],
    ['examples', 'week', {}, 'no gateway'],
  ],
};
