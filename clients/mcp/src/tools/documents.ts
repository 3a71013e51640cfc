import { z } from 'zod';
import { aboutDocument, documentNames, documents, narrow } from '../documents.ts';
import type { BrandDocument, DocumentName, Less } from '../documents.ts';
import { brandId, narrowing, outputOf, paging, shapeOf } from '../schemas.ts';
import { readOnlyTool } from '../tool.ts';
import type { Register } from '../tool.ts';

/** A tool for each current document of a brand. */
export const documentTools: readonly Register[] = documentNames.map(documentTool);

function documentTool(name: DocumentName): Register {
  const document = documents[name];
  const { tool, title, description, schema, current } = document;
  return readOnlyTool({
    name: tool,
    title,
    description,
    input: inputOf(document),
    output: outputOf(shapeOf(schema)),
    read: async (input, { client, weeks }, options) => {
      const { data, snapshotId } = await client[current](input.brandId, options);
      const origin = await weeks.originOf(snapshotId, options);
      return { ...origin, ...aboutDocument(document, input), data: narrow(data, input) };
    },
  });
}

/** The arguments by which the document can be filtered. */
function inputOf({ narrowedBy, list }: BrandDocument): z.ZodType<{ brandId: string } & Less> {
  const fields = {
    brandId,
    ...(narrowedBy.includes('engines') && { engines: narrowing.engines }),
    ...(narrowedBy.includes('promptIds') && { promptIds: narrowing.promptIds }),
    ...(list !== undefined && paging),
  };
  // TypeScript types conditionally spread fields as unknown; all of these are optional anyway.
  return z.strictObject(fields as { brandId: typeof brandId } & typeof narrowing & typeof paging);
}

/** The brands of the workspace, with the ids that all other tools need. */
export const listBrands: Register = readOnlyTool({
  name: 'list_brands',
  title: 'Brands',
  description: 'All brands of the workspace, with the ids that the other tools take. Start here.',
  input: z.strictObject(paging),
  output: outputOf(shapeOf('Brands')),
  read: async ({ offset, limit }, { client, weeks }, options) => {
    const { data, snapshotId } = await client.listBrands(options);
    const origin = await weeks.originOf(snapshotId, options);
    const rows = { list: '', ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) };
    return { ...origin, ...rows, data, untrusted: ['[].name', '[].domain'], less: 'For less, give limit.' };
  },
});
