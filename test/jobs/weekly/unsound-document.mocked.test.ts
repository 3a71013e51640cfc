import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type * as documents from '../../../jobs/weekly/documents/documents.ts';
import { Failure } from '../../../lib/failure.ts';
import { publish } from '../jobs.ts';
import { AS_OF, testLake } from '../lake.ts';
import { idOf, ids, sound, tracked } from '../records.ts';

const [second, third, fourth] = [idOf('a', 2), idOf('a', 3), idOf('a', 4)];
const unsound = 'bbbbbbbb-0000-4000-8000-000000000002';
const large = ['4', '5'].map((digit) => unsound.replace(/2$/, digit));

// No delivery is known from which an unsound document comes out, so one is made to fail here. Others are made too large,
// in zeros that take no memory.
vi.mock('../../../jobs/weekly/documents/documents.ts', async (importOriginal) => {
  const original = await importOriginal<typeof documents>();
  return {
    ...original,
    brandDocuments: (...args: Parameters<typeof original.brandDocuments>) => {
      if (args[0].brand.id === unsound) throw new Failure(`the visibility document of ${unsound} is unsound`);
      const made = original.brandDocuments(...args);
      if (!large.includes(args[0].brand.id)) return made;
      return [...made, { path: `brands/${args[0].brand.id}/zeros.json`, bytes: Buffer.alloc(600 << 20) }];
    },
  };
});

test('a document that cannot be made, or more than memory should hold, fails its workspace alone', async () => {
  const { folder, lake, ingested } = await testLake();
  await ingested({
    ...tracked,
    'workspaces.ndjson': [ids.workspace, second, third, fourth].map((id) => sound.workspaces({ id })),
    'brands.ndjson': [
      sound.brands(),
      sound.brands({ id: unsound, workspace_id: second }),
      sound.brands({ id: unsound.replace(/2$/, '3'), workspace_id: second }),
      ...large.map((id) => sound.brands({ id, workspace_id: fourth })),
    ],
    'runs.ndjson': [sound.runs()],
  });
  const report = await publish(lake, join(folder, 'store'), AS_OF);
  expect(report).toMatchObject({ workspaces: 4, brands: 1, new: 2 });
  expect(report.unpublished).toEqual([
    { workspaceId: second, reason: 'failed', message: `the visibility document of ${unsound} is unsound` },
    {
      workspaceId: fourth,
      reason: 'failed',
      message: 'the documents of its first 2 brands have more than 1 GiB: split it into several workspaces',
    },
  ]);
});
