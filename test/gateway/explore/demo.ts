import { join } from 'node:path';
import { documentationFiles } from '../../../gateway/docs/documentation.ts';
import { exploreFiles } from '../../../gateway/explore/files.ts';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { systemClock } from '../../../lib/clock.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { setPlan, startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';

export interface Demo {
  log: TestLog;
  workspaceId: string;
}

/** Three signed weeks of a demo workspace after eight weeks of runs, so that there are bands. */
export async function publishDemoWeeks(root: string): Promise<Demo> {
  const log = { ...(await testLog(root)), store: memoryStore(new Map()) };
  const { lake, store, origin, signer } = log;
  const drop = join(root, 'drop');
  const size = { seed: 3, workspaces: 1, brands: 3, prompts: 6, cycles: 8 } as const;
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-11-16T06:00:00Z')! });
  await ingest({ from: drop, lake, date: '2026-09-01' }, { clock: { now: () => Date.parse('2026-11-20') } });
  for (const day of ['2026-11-02', '2026-11-09', '2026-11-16'])
    await weekly({ lake, store, origin, signer, asOf: parseInstant(`${day}T23:00:00Z`)! });
  const [workspaceId] = [...(await readLog(store, log))!.heads.keys()] as [string];
  return { log, workspaceId };
}

/** A gateway with the page; `key` is of the workspace. */
export async function startExploreGateway({ log, workspaceId }: Demo): Promise<ListeningGateway> {
  const publicFiles = [...documentationFiles(), ...exploreFiles(async () => log.trust)];
  const gateway = await startListeningGateway(systemClock, { log, publicFiles });
  await setPlan(gateway.records, workspaceId, 'agency', 10_000);
  return { ...gateway, key: await gateway.createKey(workspaceId) };
}
