import { join } from 'node:path';
import { createKey, openRecords, setPlan } from '../adapters/read-over-http.ts';
import { expect } from 'vitest';
import { ask, bearer } from '../gateway/ask.ts';
import { startGatewayProcess } from '../support/program.ts';
import { documentKinds, expectedText } from './cases.ts';

/** By workspace: `brands`, `week`, and the documents by brand, each as the `data` of a response. */
type Workspaces = Record<string, Record<string, Record<string, unknown>>>;

export const workspacesOf = (name: string) => JSON.parse(expectedText(name)) as Workspaces;

/** By workspace and path, the expected responses; `from` is the part of the path for a week of the history. */
export function expectedAnswers(workspaces: Workspaces, from = ''): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [workspaceId, { brands, week, ...documents }] of Object.entries(workspaces)) {
    const add = (path: string, data: unknown) =>
      (answers[`${workspaceId} ${from}${path}`] = { status: 200, text: `${JSON.stringify({ data })}\n` });
    add('/brands', brands);
    add('/week', week);
    for (const [brandId, data] of Object.entries(documents))
      for (const kind of documentKinds) add(`/brands/${brandId}/${kind}`, data[kind]);
  }
  return answers;
}

/** A gateway with a key for each of some workspaces; its records are in a folder. */
export async function serveWorkspaces(
  ids: readonly string[],
  folder: string,
  settings: Record<string, string>,
) {
  const records = openRecords(folder);
  const keys = new Map<string, string>();
  for (const id of ids) {
    await setPlan(records, id, 'agency', 1_000_000);
    keys.set(id, await createKey(records, id));
  }
  await records.close();
  const recordsUrl = `sqlite:${join(folder, 'records.db')}`;
  const gateway = await startGatewayProcess({ HOST: '127.0.0.1', ...settings, RECORDS_URL: recordsUrl });
  const answerTo = async (workspaceId: string, path: string) => {
    const headers = bearer(keys.get(workspaceId)!);
    const { status, text } = await ask(gateway.url, `/api/v1${path}`, { headers });
    return { status, text };
  };
  return {
    answerTo,
    /** The responses to the requests of {@link expectedAnswers}. */
    async answersTo(expected: Record<string, unknown>): Promise<Record<string, unknown>> {
      const answers: Record<string, unknown> = {};
      for (const request of Object.keys(expected))
        answers[request] = await answerTo(...(request.split(' ') as [string, string]));
      return answers;
    },
    async stop(): Promise<void> {
      gateway.child.kill('SIGTERM');
      expect(await gateway.ended).toBe(0);
    },
  };
}
