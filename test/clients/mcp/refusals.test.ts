import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { setPlan, workspaceId } from '../../gateway/gateway.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compileCache, describeWithClients } from '../tools.ts';
import { serverOf, startAssistant } from './mcp.ts';
import type { Server } from './mcp.ts';
import { brandId, startWorkspace } from './workspace.ts';

const visibility = { brand: brandId, document: 'visibility' };
/** Arguments for each tool. */
const calls = {
  list_brands: {},
  list_snapshots: {},
  get_document: visibility,
  compare_weeks: { brand: brandId },
  verify_document: visibility,
};

describeWithClients('what the service refuses is an error with its code', () => {
  test('a revoked key, in the middle of a session; the server never writes a key', async () => {
    const { gateway, server, publish } = await startWorkspace();
    await publish('2026-11-17');
    const { publicKey } = await makeTestKeys(await temporaryFolder(), 'own');
    const env = { ...server.env, SIGHTLINE_PUBLIC_KEY_FILE: publicKey };
    const assistant = await startAssistant({ ...server, env });
    const written: unknown[] = [await assistant.call('get_document', visibility)];
    await gateway.records.revokeKey(gateway.key.slice(0, 12));
    for (const [name, input] of Object.entries(calls)) {
      const failed = await assistant.failure(name, input);
      expect(failed).toEqual({
        code: 'invalid_key',
        message: expect.any(String) as string,
        retryAfterSeconds: null,
        requestId: expect.any(String) as string,
      });
      written.push(failed);
    }
    written.push(await assistant.end());
    expect(JSON.stringify(written)).not.toContain(gateway.key.slice(4, 20));
  });

  test('an exhausted allowance, with the seconds to wait, at once', async () => {
    const { gateway, server, publish } = await startWorkspace({ requestsPerMinute: 3 });
    await publish('2026-11-17');
    const assistant = await startAssistant(server);
    await assistant.call('list_brands');
    await assistant.call('get_document', visibility);
    expect(await assistant.failure('get_document', visibility)).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 50,
    });
    // None of the calls was retried.
    expect(gateway.observed.answered.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  });

  test('a plan without the API, an unknown brand, a gateway that does not run', async () => {
    const { gateway, server, publish } = await startWorkspace();
    await publish('2026-11-17');
    const assistant = await startAssistant(server);
    const other = { ...visibility, brand: '00000000-0000-4000-8000-000000000000' };
    expect(await assistant.failure('get_document', other)).toMatchObject({ code: 'not_found' });
    await setPlan(gateway.records, workspaceId, 'starter', null);
    expect(await assistant.failure('get_document', visibility)).toMatchObject({ code: 'plan_required' });
    await gateway.app.close();
    expect(await assistant.failure('get_document', visibility)).toMatchObject({
      code: 'network',
      requestId: null,
    });
  });

  test('a workspace for which nothing was published yet', async () => {
    const { gateway, server } = await startWorkspace();
    const unpublished = '33333333-3333-4333-8333-333333333333';
    await setPlan(gateway.records, unpublished, 'agency', null);
    const SIGHTLINE_API_KEY = await gateway.createKey(unpublished);
    const assistant = await startAssistant({ ...server, env: { ...server.env, SIGHTLINE_API_KEY } });
    for (const name of ['list_brands', 'list_snapshots'])
      expect(await assistant.failure(name)).toMatchObject({
        code: 'not_found',
        message: 'nothing was published for this workspace yet',
      });
  });

  test('arguments that a tool does not have', async () => {
    const { gateway, server } = await startWorkspace();
    const assistant = await startAssistant(server);
    for (const [input, names] of [
      [{ ...visibility, engine: 'gemini' }, /engine/],
      [{ ...visibility, document: 'trend' }, /^document: .*"visibility"/],
      [{ ...visibility, engines: ['gemini', 'altavista'] }, /^engines\.1: .*"gemini"/],
      [{ ...visibility, limit: 3 }, /^the visibility document cannot be narrowed by limit$/],
      [{ brand: brandId, document: 'sources', engines: ['grok'] }, /cannot be narrowed by engines$/],
      [{}, /^brand: /],
    ] as const)
      expect(await assistant.failure('get_document', input)).toEqual({
        code: 'invalid_arguments',
        message: expect.stringMatching(names) as string,
        retryAfterSeconds: null,
        requestId: null,
      });
    expect(gateway.observed.answered).toEqual([]);
  });
});

const run = ({ command, args }: Server, env: Record<string, string>) =>
  spawnSync(command, args, { env: { ...compileCache, ...env }, encoding: 'utf8', input: '' });

describeWithClients('settings', () => {
  const key = `vis_${'0123456789ab'.repeat(4)}`;
  const sound = { SIGHTLINE_URL: 'http://127.0.0.1:1', SIGHTLINE_API_KEY: key };

  test.each([
    [{ SIGHTLINE_URL: '' }, 'SIGHTLINE_URL is not set: the address of the gateway, https://…'],
    [
      { SIGHTLINE_URL: 'https://:secret@api.example.com' },
      'SIGHTLINE_URL is not an address that begins with https:// or http://, without a user',
    ],
    [{ SIGHTLINE_API_KEY: `${key}f` }, 'SIGHTLINE_API_KEY is not a key: vis_ and 48 hexadecimal characters'],
    [
      { SIGHTLINE_PUBLIC_KEY_FILE: 'nowhere.pem' },
      'SIGHTLINE_PUBLIC_KEY_FILE: cannot read nowhere.pem (ENOENT)',
    ],
  ])('%j ends the server with one line', (wrong, line) => {
    const { status, stdout, stderr } = run(serverOf({}), { ...sound, ...wrong });
    expect([status, stdout, stderr]).toEqual([1, '', `sightline-mcp: ${line}\n`]);
  });

  test('--help names every variable, and anything else is refused', () => {
    const { command, args } = serverOf({});
    const help = run({ command, args: [...args, '--help'], env: {} }, {});
    expect(help.status).toBe(0);
    for (const name of [...Object.keys(sound), 'SIGHTLINE_PUBLIC_KEY_FILE'])
      expect(help.stdout).toContain(name);
    const unknown = run({ command, args: [...args, '--nope'], env: {} }, sound);
    expect([unknown.status, unknown.stderr]).toEqual([
      1,
      expect.stringMatching(/^sightline-mcp: [^\n]*--nope[^\n]*\n$/),
    ]);
    // It ends when its standard input does.
    expect(run(serverOf({}), sound)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });
});
