import { z } from 'zod';
import { LESS_ROWS, paging } from '../arguments.ts';
import { readOnlyTool } from '../tool.ts';
import type { Register } from '../tool.ts';
import { currentOf } from '../weeks.ts';

/** The data is the list. */
const rows = { list: '', less: LESS_ROWS };

/** The brands of the workspace. */
export const listBrands: Register = readOnlyTool({
  name: 'list_brands',
  title: 'Brands',
  description: 'All brands of the workspace with their ids.',
  input: z.strictObject(paging),
  read: async (input, { client, weeks }, options) => {
    const { data, snapshotId } = await client.listBrands(options);
    const origin = await weeks.originOf(snapshotId, options);
    return { ...origin, ...input, ...rows, data, untrusted: ['[].name', '[].domain'] };
  },
});

/** The list of published snapshots. */
export const listSnapshots: Register = readOnlyTool({
  name: 'list_snapshots',
  title: 'Published weeks',
  description:
    'Every published week, newest first, with its snapshot id and as-of time. A week can have several snapshots: the last one published counts.',
  input: z.strictObject(paging),
  read: async (input, { weeks }, options) => {
    const data = await weeks.list(options);
    const { id, asOf } = currentOf(data);
    return { snapshotId: id, asOf, ...input, ...rows, data, untrusted: [] };
  },
});
