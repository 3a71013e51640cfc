import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { setPlan, workspaceId } from '../../gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { describeWithClients } from '../tools.ts';
import { connectAssistant, serverOf } from './mcp.ts';
import { brandId, exampleDocuments, startWorkspace } from './workspace.ts';
import type { TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
let address: string;
let exited: Promise<unknown[]>;
let server: ChildProcessByStdio<null, null, Readable>;

/** Starts `sightline-mcp --http` without a key of its own, on a free port. */
beforeEach(async () => {
  workspace = await startWorkspace();
  await workspace.publish('2026-11-17');
  const { command, args, env: cache } = serverOf({});
  const env = { ...cache, SIGHTLINE_URL: workspace.gateway.base, PORT: '0' };
  server = spawn(command, [...args, '--http'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  exited = once(server, 'exit');
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await exited;
  });
  const [line] = (await once(createInterface(server.stderr), 'line')) as [string];
  address = /^sightline-mcp: serving (http:\/\/127\.0\.0\.1:\d+\/mcp)$/.exec(line)![1]!;
});

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
const visibility = { brand: brandId, document: 'visibility', trend: true };

async function post(url: string, headers: Record<string, string>, body = '{}'): Promise<Response> {
  const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body });
}

describeWithClients('over HTTP', () => {
  test.each(['legacy', 'auto'] as const)(
    'serves tools and the prompt with the key of the caller (%s)',
    async (era) => {
      const assistant = await connectAssistant(address, withKey(workspace.gateway.key), era);
      expect((await assistant.client.listTools()).tools).toHaveLength(6);
      expect((await assistant.client.listPrompts()).prompts).toHaveLength(1);
      expect(assistant.client.getInstructions()).toContain('drift band');
      expect((await assistant.call('get_document', visibility)).data).toEqual(exampleDocuments.visibility);
    },
  );

  test('counts one request for a call, also by callers that never met, and none for the rest', async () => {
    const { observed, key } = workspace.gateway;
    for (let caller = 1; caller <= 3; caller += 1) {
      const assistant = await connectAssistant(address, withKey(key));
      await assistant.client.listTools();
      await assistant.call('get_document', visibility);
    }
    await until(() => observed.answered.length === 4); // the observer may be called after the response was read
    // The list once for a new week, for its as-of time.
    const expected = ['getVisibility', 'listSnapshots', 'getVisibility', 'getVisibility'];
    expect(observed.answered.map(({ route }) => route)).toEqual(expected);
  });

  test('has each caller see the own workspace, and a revoked key nothing', async () => {
    const { gateway } = workspace;
    const other = '33333333-3333-4333-8333-333333333333';
    await setPlan(gateway.records, other, 'agency', null);
    const own = await connectAssistant(address, withKey(gateway.key));
    const stranger = await connectAssistant(address, withKey(await gateway.createKey(other)));
    await own.call('get_document', visibility);
    expect(await stranger.failure('get_document', visibility)).toMatchObject({ code: 'not_found' });
    await gateway.records.revokeKey(gateway.key.slice(0, 12));
    expect(await own.failure('get_document', visibility)).toMatchObject({ code: 'invalid_key' });
    await setPlan(gateway.records, workspaceId, 'starter', null);
    const later = await connectAssistant(address, withKey(await gateway.createKey()));
    expect(await later.failure('get_document', visibility)).toMatchObject({ code: 'plan_required' });
  });

  test('refuses requests without a key, other paths, sessions and large bodies, and ends with status 0', async () => {
    for (const headers of [{}, withKey('vis_short'), { 'x-api-key': workspace.gateway.key }]) {
      const response = await post(address, headers);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await response.json()).toMatchObject({ error: { code: 'missing_key' } });
    }
    const key = withKey(workspace.gateway.key);
    expect((await post(new URL('/', address).href, key)).status).toBe(404);
    expect((await fetch(address, { headers: key })).status).toBe(405);
    expect((await post(address, key, JSON.stringify({ a: 'a'.repeat(200_000) }))).status).toBe(413);
    expect((await post(address, key, 'no JSON')).status).toBe(400);
    expect(workspace.gateway.observed.answered).toEqual([]);
    server.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
