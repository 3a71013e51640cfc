import { join } from 'node:path';
import { expect } from 'vitest';
import { createKey, openRecords, setPlan } from '../adapters/read-over-http.ts';
import { ask, bearer } from '../gateway/ask.ts';
import { startGatewayProcess } from '../support/program.ts';
import { documentKinds, expectedText } from './cases.ts';

/** By workspace: `brands`, `week`, and the documents by brand, each as the `data` of a response. */
const expectedOf = (name: string) =>
  JSON.parse(expectedText(name)) as Record<string, Record<string, Record<string, unknown>>>;

export const workspacesOf = (name: string) => Object.keys(expectedOf(name));

const bodyOf = (data: unknown) => ({ status: 200, text: `${JSON.stringify({ data })}\n` });

/** A gateway with a key for each workspace of some cases; its records are in a folder. */
export async function serveCases(names: readonly string[], folder: string, settings: Record<string, string>) {
  const records = openRecords(folder);
  const keys = new Map<string, string>();
  for (const id of names.flatMap(workspacesOf)) {
    await setPlan(records, id, 'agency', 1_000_000);
    keys.set(id, await createKey(records, id));
  }
  await records.close();
  const recordsUrl = `sqlite:${join(folder, 'records.db')}`;
  const gateway = await startGatewayProcess({ HOST: '127.0.0.1', ...settings, RECORDS_URL: recordsUrl });
  return {
    /** Fails unless every response of the case has exactly the expected bytes. */
    async expectCase(name: string): Promise<void> {
      for (const [workspaceId, { brands, week, ...documents }] of Object.entries(expectedOf(name))) {
        const get = async (path: string) => {
          const headers = bearer(keys.get(workspaceId)!);
          const { status, text } = await ask(gateway.url, `/api/v1${path}`, { headers });
          return { status, text };
        };
        expect(await get('/brands')).toEqual(bodyOf(brands));
        expect(await get('/week')).toEqual(bodyOf(week));
        for (const [brandId, data] of Object.entries(documents)) {
          expect(Object.keys(data)).toEqual(documentKinds);
          for (const kind of documentKinds)
            expect(await get(`/brands/${brandId}/${kind}`)).toEqual(bodyOf(data[kind]));
        }
      }
    },
    async stop(): Promise<void> {
      gateway.child.kill('SIGTERM');
      await gateway.ended;
    },
  };
}
