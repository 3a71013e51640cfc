import { expect, test } from 'vitest';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { filesBelow, testLake } from '../lake.ts';
import { tracked } from '../records.ts';

test('a drop with a date more than a day ahead is refused, and nothing of it is ingested', async () => {
  const { lake, dropOf } = await testLake();
  const delivered = async (date: string) =>
    await ingest(
      { from: await dropOf(tracked), lake: directoryStore(lake), date },
      { clock: { now: () => Date.parse('2026-11-16T23:59:59.999Z') } },
    );
  await expect(delivered('2026-11-18')).rejects.toThrow(
    /^the tracking date 2026-11-18 is more than a day ahead of today, 2026-11-16: nothing was ingested/,
  );
  expect(await filesBelow(lake)).toEqual([]);
  expect(await delivered('2026-11-17')).toMatchObject({ delivery: 1 });
});
