import type { Results } from '../documents/results.ts';
import type { BrandInSnapshot, Table } from './table.ts';
import { defineTable, joined } from './table.ts';

type Prompt = Results['prompts'][number];
type Result = Prompt['engines'][number] & Pick<Prompt, 'promptId' | 'promptText'>;

const NONE_BEFORE = 'no cycle before';

export const results = resultsTable(
  'results',
  'One row for each brand, active prompt and engine that ever answered it.',
  () => true,
);

export const changes = resultsTable(
  'changes',
  'The rows of results whose change is won, lost or new. One prompt on one engine is one random draw.',
  ({ change }) => change === 'won' || change === 'lost' || change === 'new',
);

function resultsTable(
  name: 'results' | 'changes',
  row: string,
  isWanted: (result: Result) => boolean,
): Table {
  return defineTable<Result>({
    name,
    row,
    from: ['results'],
    rowsOf: (given) => resultsOf(given).filter(isWanted),
    columns: [
      ['prompt_id', 'text', 'UUID', ({ promptId }) => promptId],
      ['prompt_text', 'text', 'the question', ({ promptText }) => promptText],
      ['engine', 'text', 'slug of the engine', ({ slug }) => slug],
      ['date', 'date', 'the latest cycle in which the engine answered', ({ date }) => date],
      ['is_named', 'boolean', 'an answer names the brand', ({ isNamed }) => isNamed],
      [
        'position',
        'integer',
        'best position of the brand; 1 is first',
        ({ position }) => position,
        'not named',
      ],
      ['previous_date', 'date', 'the cycle before', ({ previousDate }) => previousDate, NONE_BEFORE],
      [
        'was_named',
        'boolean',
        'an answer of that cycle names the brand',
        ({ wasNamed }) => wasNamed,
        NONE_BEFORE,
      ],
      [
        'previous_position',
        'integer',
        'best position of the brand in that cycle',
        (each) => each.previousPosition,
        'not named then',
      ],
      ['change', 'text', '`new`, `won`, `lost`, `kept` or `absent`', ({ change }) => change],
      ['answer_urls', 'text', 'links to the answers, separated by blanks', evidence('url'), 'none'],
      ['answer_sha256', 'text', 'SHA-256 of the answers, separated by blanks', evidence('sha256'), 'none'],
    ],
  });
}

function resultsOf({ documents }: BrandInSnapshot): Result[] {
  return (documents.results?.prompts ?? []).flatMap(({ promptId, promptText, engines }) =>
    engines.map((engine) => ({ promptId, promptText, ...engine })),
  );
}

function evidence(field: 'url' | 'sha256') {
  return (result: Result) =>
    joined(
      result.evidence?.map((each) => each[field]),
      ' ',
    );
}
