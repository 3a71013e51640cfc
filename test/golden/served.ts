import { join } from 'node:path';
import { createKey, openRecords, setPlan } from '../adapters/read-over-http.ts';
import { ask, bearer } from '../gateway/ask.ts';
import { startGatewayProcess } from '../support/program.ts';
import { documentKinds, expectedText } from './cases.ts';

/** By workspace: `brands`, `week`, and the documents by brand, each as the `data` of a response. */
const expectedOf = (name: string) =>
  JSON.parse(expectedText(name)) as Record<string, Record<string, Record<string, unknown>>>;

export const workspacesOf = (name: string) => Object.keys(expectedOf(name));

/** By workspace and path, the expected responses of a case. */
export function expectedAnswers(name: string): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [workspaceId, { brands, week, ...documents }] of Object.entries(expectedOf(name))) {
    const add = (path: string, data: unknown) =>
      (answers[`${workspaceId} ${path}`] = { status: 200, text: `${JSON.stringify({ data })}\n` });
    add('/brands', brands);
    add('/week', week);
    for (const [brandId, data] of Object.entries(documents))
      for (const kind of documentKinds) add(`/brands/${brandId}/${kind}`, data[kind]);
  }
  return answers;
}

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
    /** The responses to the requests of {@link expectedAnswers}. */
    async answersTo(name: string): Promise<Record<string, unknown>> {
      const answers: Record<string, unknown> = {};
      for (const request of Object.keys(expectedAnswers(name))) {
        const [workspaceId, path] = request.split(' ') as [string, string];
        const headers = bearer(keys.get(workspaceId)!);
        const { status, text } = await ask(gateway.url, `/api/v1${path}`, { headers });
        answers[request] = { status, text };
      }
      return answers;
    },
    async stop(): Promise<void> {
      gateway.child.kill('SIGTERM');
      await gateway.ended;
    },
  };
}
