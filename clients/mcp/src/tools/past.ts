import { z } from 'zod';
import { aboutDocument, documentNames, documents, narrow } from '../documents.ts';
import type { DocumentName, Less } from '../documents.ts';
import { ToolError } from '../result.ts';
import { brandId, narrowing, outputOf, paging, shapeOf, week } from '../schemas.ts';
import { readOnlyTool } from '../tool.ts';
import type { Register } from '../tool.ts';
import { snapshotOf } from '../weeks.ts';

/** The list of published snapshots. */
export const listSnapshots: Register = readOnlyTool({
  name: 'list_snapshots',
  title: 'Snapshots',
  description:
    'Every published week of the workspace, newest first, with the ids and as-of times that get_document_as_of and compare_weeks take. A week can have several snapshots: the last one published counts.',
  input: z.strictObject(paging),
  output: outputOf(shapeOf('Snapshots')),
  read: async ({ offset, limit }, { weeks }, options) => {
    const data = await weeks.list(options);
    const { id, asOf } = data.find(({ isCurrent }) => isCurrent) ?? data[0]!;
    const rows = { list: '', ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) };
    return { snapshotId: id, asOf, ...rows, data, untrusted: [], less: 'For less, give limit.' };
  },
});

const anyDocument = {
  type: 'object',
  description: 'The document, as the tool for it returns it; documents of old weeks can lack newer fields.',
};

/** A document as it was published in an earlier week. */
export const documentAsOf: Register = readOnlyTool({
  name: 'get_document_as_of',
  title: 'A document of an earlier week',
  description:
    'A document exactly as it was published in an earlier week: visibility, results, stability, competitors, sources or prompts. To compare two weeks use compare_weeks instead.',
  input: z.strictObject({
    brandId,
    document: z.enum(documentNames).describe('Which document.'),
    week,
    ...narrowing,
    ...paging,
  }),
  output: outputOf(anyDocument),
  read: async (input, { client, weeks }, options) => {
    const document = documents[input.document];
    refuseUnfit(input.document, input);
    const { id, asOf } = snapshotOf(await weeks.list(options), input.week);
    const { data } = await client[document.past](id, input.brandId, options);
    return { snapshotId: id, asOf, ...aboutDocument(document, input), data: narrow(data, input) };
  },
});

/** @throws ToolError for a filter that the document does not have: ignoring it would look as if it was applied. */
function refuseUnfit(name: DocumentName, less: Less): void {
  const { narrowedBy, list } = documents[name];
  const fitting = new Set<string>([...narrowedBy, ...(list === undefined ? [] : ['offset', 'limit'])]);
  const unfit = (['engines', 'promptIds', 'offset', 'limit'] as const).filter(
    (way) => less[way] !== undefined && !fitting.has(way),
  );
  if (unfit.length > 0)
    throw new ToolError(
      'invalid_arguments',
      `the ${name} document cannot be narrowed by ${unfit.join(', ')}`,
    );
}
