import fastify from 'fastify';
import { systemClock } from '../../../../lib/clock.ts';
import { readConfig } from '../../../../lib/config.ts';
import { sha256 } from '../../../../lib/hash.ts';
import { openStore } from '../../../../lib/store/open.ts';
import { documentPath } from '../../../../snapshots/layout.ts';
import { readHistory, readLog } from '../../../../snapshots/log/follow.ts';
import { currentOf } from '../../../../snapshots/log/history.ts';
import { configuredTrust } from '../../../../snapshots/log/identity.ts';
import { readDocument, readManifest } from '../../../../snapshots/read.ts';
import { admissionsOf } from '../../../../gateway/admission/allowance.ts';
import { openRecords } from '../../../../gateway/records/open.ts';

/** The same lookup in the same records, but one transaction per request: the usual way. */
const config = readConfig();
const store = openStore(config.STORE_URL);
const log = (await readLog(store, { origin: null, trust: (await configuredTrust(config))! }))!;
const records = await openRecords(config.RECORDS_URL, {
  purpose: 'serve',
  clock: systemClock,
  maxWaitMs: 5000,
  batchesAtOnce: 10,
});
const bodies = new Map<string, Buffer>();

async function bodyOf(workspaceId: string, brandId: string): Promise<Buffer> {
  const path = documentPath(brandId, 'prompts');
  const known = bodies.get(`${workspaceId}/${path}`);
  if (known !== undefined) return known;
  const current = currentOf((await readHistory(store, log, workspaceId))!)!;
  const manifest = await readManifest(store, workspaceId, current);
  const body = await readDocument(
    store,
    manifest,
    manifest.documents.find((entry) => entry.path === path)!,
  );
  bodies.set(`${workspaceId}/${path}`, body);
  return body;
}

const app = fastify();
app.get<{ Params: { brandId: string } }>('/api/v1/brands/:brandId/prompts', async (request, reply) => {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string') return await reply.code(401).send();
  const uses = [{ hash: sha256(key), requests: 1 }];
  const admission = admissionsOf(uses, await records.admit(uses))(0);
  if (admission?.refused !== null) return await reply.code(401).send();
  const { limit, remaining, minuteEnds } = admission;
  return await reply
    .headers({
      'content-type': 'application/json; charset=utf-8',
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': minuteEnds,
    })
    .send(await bodyOf(admission.workspaceId, request.params.brandId));
});
process.once('SIGTERM', () => void app.close().then(() => records.close()));
await app.listen({ host: '127.0.0.1', port: config.PORT });
