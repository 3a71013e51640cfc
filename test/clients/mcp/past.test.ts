import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { join } from 'node:path';
import { Sightline } from '../../../clients/typescript/src/index.ts';
import { lastOfEachWeek, weekBefore } from '../../../clients/typescript/src/weeks.ts';
import { withdraw } from '../../adapters/publish.ts';
import { workspaceId } from '../../gateway/gateway.ts';
import { auditIn } from '../../snapshots/audit-program.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { brand, dateOf, weekOf } from '../../snapshots/weeks.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWithClients } from '../tools.ts';
import { startAssistant } from './mcp.ts';
import type { Assistant } from './mcp.ts';
import { brandId, exampleDocuments, startWorkspace } from './workspace.ts';
import type { TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
let assistant: Assistant;
beforeEach(async () => {
  workspace = await startWorkspace();
  assistant = await startAssistant(workspace.server);
});

const named = (name: string): Partial<Documents> => ({
  visibility: {
    ...exampleDocuments.visibility,
    brand: { ...exampleDocuments.visibility.brand, name },
  },
});
const nameOf = ({ data }: { data: { brand: { name: string } } }) => data.brand.name;
type Visibility = Documents['visibility'];

const asOf = async (week: string) =>
  await assistant.call<Visibility>('get_document', { brand: brandId, document: 'visibility', week });

describeWithClients('a document of an earlier week', () => {
  test('is the newest one as of that day or before, the last one of a re-published day, or that of an id', async () => {
    const first = await workspace.publish('2026-11-17', named('First'));
    const second = await workspace.publish('2026-11-24', named('Second'));
    const late = await workspace.publish('2026-11-24', named('Late'));
    expect(second).not.toBe(late);
    expect(await asOf('2026-11-23')).toMatchObject({ snapshotId: first, asOf: '2026-11-17T06:00:00.000Z' });
    expect(nameOf(await asOf('2026-11-17'))).toBe('First');
    expect(nameOf(await asOf('2027-01-01'))).toBe('Late');
    expect(nameOf(await asOf(second))).toBe('Second');
  });

  test('can be any document, filtered by engine or prompt', async () => {
    await workspace.publish('2026-11-17');
    const [prompt] = exampleDocuments.results.prompts;
    const input = {
      brand: brandId,
      document: 'results',
      week: '2026-11-20',
      promptIds: [prompt!.promptId.toUpperCase()],
      engines: ['grok'],
    };
    const { data, page } = await assistant.call<Documents['results']>('get_document', input);
    expect(data.prompts).toEqual([
      { ...prompt, engines: prompt!.engines.filter(({ slug }) => slug === 'grok') },
    ]);
    expect(page).toEqual({ offset: 0, shown: 1, total: 1 });
  });

  test('is not_found before the first week, and for an invalid id', async () => {
    await workspace.publish('2026-11-17');
    const input = { brand: brandId, document: 'sources' };
    expect(await assistant.failure('get_document', { ...input, week: '2020-01-01' })).toMatchObject({
      code: 'not_found',
      message: 'no snapshot as of 2020-01-01 or before; the first is as of 2026-11-16',
    });
    expect(await assistant.failure('get_document', { ...input, week: 'nonsense' })).toMatchObject({
      code: 'not_found',
      message: 'no snapshot nonsense; list_snapshots has the ids',
    });
  });
});

/** The documents with their newest cycle on a day. */
function datedUpTo<Found>(day: string, cycles: number, documents: Found): Found {
  let text = JSON.stringify(documents);
  for (let cycle = 0; cycle < cycles; cycle++) {
    const date = new Date(Date.parse(day) - 7 * 86_400_000 * (cycles - 1 - cycle)).toISOString().slice(0, 10);
    text = text.replaceAll(dateOf(cycle), date);
  }
  return JSON.parse(text) as Found;
}

const publishWeek = async (day: string, history: Parameters<typeof weekOf>[0]) => {
  const documents = datedUpTo(day, history.length, weekOf(history).documents);
  const brands = [{ ...brand, createdAt: '2026-01-05T00:00:00.000Z' }];
  return await workspace.publish(day, { ...documents, brands });
};

describeWithClients('a week of another version of Sightline', () => {
  const { perEngine, ...visibility } = exampleDocuments.visibility;

  test('is accepted with newer fields, and without fields that it did not have yet', async () => {
    const old = perEngine.map(({ promptsAnswered: _answered, promptsNamed: _named, ...engine }) => engine);
    const newer = {
      ...visibility,
      perEngine: [{ ...perEngine[0], slug: 'newcomer', novelty: [1] }],
      added: {},
    };
    const input = { brand: brandId, document: 'visibility', trend: true };
    for (const body of [{ ...visibility, perEngine: old }, newer]) {
      await workspace.publish('2026-11-17', {}, { bodies: { visibility: body } });
      expect((await assistant.call('get_document', input)).data).toEqual(body);
      expect((await assistant.call('get_document', { ...input, week: '2026-11-17' })).data).toEqual(body);
    }
  });
});

describeWithClients('two weeks', () => {
  const steady = { named: [10, 10, 10], mentions: [100, 100, 100, 100] };
  const fallen = { named: [0, 10, 11], mentions: [10, 100, 101, 99] };
  const past = Array.from({ length: 5 }, () => steady);

  test.each(['mistaken', 'lost'] as const)(
    'are the same for assistants, the client and the auditor after one was withdrawn as %s',
    async (reason) => {
      const { log, base, key } = workspace.gateway;
      const older = await publishWeek('2026-11-23', past);
      const wrong = await publishWeek('2026-11-24', [...past, fallen]);
      const newer = await publishWeek('2026-11-30', [...past, steady]);
      const wrongToo = await publishWeek('2026-12-01', [...past, fallen]);
      await withdraw(
        log,
        workspaceId,
        [wrong, wrongToo].map((snapshotId) => ({ snapshotId, reason })),
      );
      await workspace.gateway.documents.refresh();
      const settings = { STORE_URL: join(log.root, 'store'), PUBLIC_KEY_FILE: log.keys.publicKey };
      const auditor = await auditIn(log.root, settings, 'diff', '--json', '--workspace', workspaceId);
      const assistants = await assistant.call('compare_weeks', { brand: brand.id });
      const { data: listed } = await new Sightline({ baseUrl: base, apiKey: key }).listSnapshots();
      const current = listed.find(({ isCurrent }) => isCurrent)!;
      // /explore takes this one too (test/gateway/explore).
      expect([weekBefore(listed, current)?.id, current.id]).toEqual([older, newer]);
      expect(
        lastOfEachWeek(listed)
          .slice(0, 2)
          .map(({ id }) => id),
      ).toEqual([newer, older]);
      expect(auditor.json()).toMatchObject({ from: { snapshotId: older }, to: { snapshotId: newer } });
      expect(assistants.data).toMatchObject({
        before: { snapshotId: older },
        after: { snapshotId: newer },
      });
    },
  );

  test('are the last two unless others are named, and only what moved has numbers', async () => {
    const older = await publishWeek('2026-11-23', past);
    const newer = await publishWeek('2026-11-30', [...past, fallen]);
    const { data, ...rest } = await assistant.call('compare_weeks', { brand: brand.id });
    expect(rest).toMatchObject({ snapshotId: newer, asOf: '2026-11-30T06:00:00.000Z', truncated: false });
    expect(rest.inWords).toEqual([
      `Google AI Mode stopped naming ${brand.name}: 0 of 20 prompts, 8.3 expected. Chance rarely causes such a drop.`,
      expect.stringContaining('Everything else is within its usual range; '),
    ]);
    expect(data).toEqual({
      brand,
      before: { snapshotId: older, asOf: '2026-11-23T06:00:00.000Z' },
      after: { snapshotId: newer, asOf: '2026-11-30T06:00:00.000Z' },
      notComparable: [],
      visibility: {
        moved: [
          {
            engine: 'ai_mode',
            rule: 'engines together',
            because: '0 of the same 20 prompts name the brand, 8.3 expected',
            before: expect.objectContaining({ score: 50 }) as object,
            after: expect.objectContaining({ score: 0, bandLow: expect.any(Number) as number }) as object,
          },
        ],
        possiblyChance: [],
        notMoved: ['ai_overview', 'chatgpt'],
        notJudged: [],
        rules: { together: ['ai_mode', 'ai_overview', 'chatgpt'], samePrompts: [], driftBand: [] },
      },
      shareOfVoice: {
        moved: [expect.objectContaining({ name: brand.name, isBrand: true }) as object],
        notMoved: ['Rival 1', 'Rival 2', 'Rival 3'],
        notJudged: [],
        rules: { gapByPrompt: [], interval: expect.any(Array) as string[] },
        leaders: expect.anything() as object,
      },
    });
    const given = { brand: brand.id, before: '2026-11-24', after: newer };
    expect((await assistant.call('compare_weeks', given)).data).toEqual(data);
  });

  test('take the last snapshot of the earlier week, and refuse a pair in the wrong order', async () => {
    await publishWeek('2026-11-23', past);
    const late = await publishWeek('2026-11-25', past);
    await publishWeek('2026-11-30', [...past, steady]);
    const { data } = await assistant.call('compare_weeks', { brand: brand.id });
    expect(data).toMatchObject({
      before: { snapshotId: late },
      visibility: { moved: [] },
      shareOfVoice: { moved: [] },
    });
    const wrong = { brand: brand.id, before: '2026-11-30', after: '2026-11-23' };
    expect(await assistant.failure('compare_weeks', wrong)).toMatchObject({ code: 'invalid_arguments' });
  });
});

describeWithClients('verification', () => {
  test('reports that a document is the published and signed one, or what does not match', async () => {
    const { keys: own, origin } = workspace.gateway.log;
    const other = await makeTestKeys(await temporaryFolder(), 'other');
    const snapshotId = await workspace.publish('2026-11-17');
    const { server } = workspace;
    const withKey = async (SIGHTLINE_PUBLIC_KEY_FILE: string) =>
      await startAssistant({ ...server, env: { ...server.env, SIGHTLINE_PUBLIC_KEY_FILE } });
    const verifier = await withKey(own.publicKey);
    const input = { brand: brandId, document: 'competitors' };
    expect(await verifier.call('verify_document', { ...input, week: '2026-11-20' })).toMatchObject({
      snapshotId,
      data: {
        isVerified: true,
        problem: null,
        publishedAt: '2026-11-20T12:00:00.000Z',
        signedBy: own.fingerprint,
        log: { origin, index: 4, size: 6 },
      },
    });
    // The API accepts ids in upper case; the manifest has lower case.
    const capitals = { ...input, brand: brandId.toUpperCase() };
    expect(await verifier.call('verify_document', capitals)).toMatchObject({
      data: { isVerified: true, document: `brands/${brandId}/competitors` },
    });
    const stranger = await withKey(other.publicKey);
    expect(await stranger.call('verify_document', input)).toMatchObject({
      snapshotId,
      data: { isVerified: false, problem: expect.stringMatching(/^signature: /) as string, log: null },
    });
    expect(await assistant.failure('verify_document', input)).toMatchObject({ code: 'not_configured' });
  });

  test('reports a service that lists a snapshot under another day than it was signed with', async () => {
    const { publicKey } = workspace.gateway.log.keys;
    await workspace.publish('2026-11-17');
    const liar = await startProxy(workspace.gateway.base, (text) =>
      text.replaceAll('"asOf":"2026-11-17', '"asOf":"2026-11-24'),
    );
    const env = { ...workspace.server.env, SIGHTLINE_URL: liar, SIGHTLINE_PUBLIC_KEY_FILE: publicKey };
    const verifier = await startAssistant({ ...workspace.server, env });
    const input = { brand: brandId, document: 'competitors', week: '2026-11-24' };
    expect(await verifier.call('verify_document', input)).toMatchObject({
      data: {
        isVerified: false,
        problem: 'snapshot: it was published as of 2026-11-17T06:00:00.000Z, not 2026-11-24T06:00:00.000Z',
      },
    });
  });
});

/** A server that changes the texts of another one. Ends with the test. */
async function startProxy(base: string, change: (text: string) => string): Promise<string> {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization = '' } = request.headers;
    const answer = await fetch(`${base}${request.url}`, { headers: { authorization } });
    const id = answer.headers.get('x-snapshot-id');
    response.writeHead(answer.status, id === null ? {} : { 'x-snapshot-id': id });
    response.end(change(await answer.text()));
  };
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
