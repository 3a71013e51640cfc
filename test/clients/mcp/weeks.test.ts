import { expect, test } from 'vitest';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { brand, dateOf, weekOf } from '../../snapshots/weeks.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startServer } from '../../support/http-server.ts';
import { describeWithClients } from '../tools.ts';
import { startAssistant } from './mcp.ts';
import { brandId, exampleDocuments, startWorkspace } from './workspace.ts';

const { visibility } = exampleDocuments;
const named = (name: string): Partial<Documents> => ({
  visibility: { ...visibility, brand: { ...visibility.brand, name } },
});

describeWithClients('a document of an earlier week', () => {
  test('is the newest one as of that day or before, the last one of a re-published day, or that of an id', async () => {
    const workspace = await startWorkspace();
    const first = await workspace.publish('2026-11-17', named('First'));
    const second = await workspace.publish('2026-11-24', named('Second'));
    await workspace.publish('2026-11-24', named('Late'));
    const assistant = await startAssistant(workspace.server);
    const input = { brand: brandId, document: 'visibility' };
    const asOf = async (week: string) =>
      await assistant.call<Documents['visibility']>('get_document', { ...input, week });
    expect(await asOf('2026-11-23')).toMatchObject({ snapshotId: first, asOf: '2026-11-17T06:00:00.000Z' });
    const nameOf = async (week: string) => (await asOf(week)).data.brand.name;
    expect(await nameOf('2026-11-17')).toBe('First');
    expect(await nameOf('2027-01-01')).toBe('Late');
    expect(await nameOf(second)).toBe('Second');
    expect(await assistant.failure('get_document', { ...input, week: '2020-01-01' })).toMatchObject({
      code: 'not_found',
      message: 'no snapshot as of 2020-01-01 or before; the first is as of 2026-11-16',
    });
    expect(await assistant.failure('get_document', { ...input, week: 'nonsense' })).toMatchObject({
      code: 'not_found',
      message: 'no snapshot nonsense; list_snapshots has the ids',
    });
  });

  test('is accepted with fields and values that the assistant does not know', async () => {
    const [engine] = visibility.perEngine;
    const body = { ...visibility, perEngine: [{ ...engine, slug: 'newcomer', novelty: [1] }], added: {} };
    const workspace = await startWorkspace();
    await workspace.publish('2026-11-17', {}, { visibility: body });
    const assistant = await startAssistant(workspace.server);
    const input = { brand: brandId, document: 'visibility', trend: true };
    for (const week of [{}, { week: '2026-11-17' }])
      expect((await assistant.call('get_document', { ...input, ...week })).data).toEqual(body);
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

describeWithClients('two weeks', () => {
  const steady = { named: [10, 10, 10], mentions: [100, 100, 100, 100] };
  const fallen = { named: [0, 10, 11], mentions: [10, 100, 101, 99] };
  const past = Array.from({ length: 5 }, () => steady);

  test('are the last of each of the last two weeks unless others are named, and only what moved has numbers', async () => {
    const workspace = await startWorkspace();
    const publishWeek = async (day: string, history: Parameters<typeof weekOf>[0]) => {
      const documents = datedUpTo(day, history.length, weekOf(history).documents);
      const brands = [{ ...brand, createdAt: '2026-01-05T00:00:00.000Z' }];
      return await workspace.publish(day, { ...documents, brands });
    };
    await publishWeek('2026-11-23', [...past, fallen]);
    const older = await publishWeek('2026-11-24', past);
    const newer = await publishWeek('2026-11-30', [...past, fallen]);
    const assistant = await startAssistant(workspace.server);
    const { data, ...rest } = await assistant.call('compare_weeks', { brand: brand.id });
    expect(rest).toMatchObject({ snapshotId: newer, asOf: '2026-11-30T06:00:00.000Z', truncated: false });
    expect(rest.inWords).toEqual([
      `Google AI Mode stopped naming ${brand.name}: 0 of 20 prompts, 8.3 expected. Chance rarely causes such a drop.`,
      expect.stringContaining('Everything else is within its usual range; '),
    ]);
    expect(data).toMatchObject({
      brand,
      before: { snapshotId: older, asOf: '2026-11-24T06:00:00.000Z' },
      after: { snapshotId: newer, asOf: '2026-11-30T06:00:00.000Z' },
      notComparable: [],
      visibility: {
        moved: [
          {
            engine: 'ai_mode',
            rule: 'engines together',
            because: '0 of the same 20 prompts name the brand, 8.3 expected',
            before: { score: 50 },
            after: { score: 0, bandLow: expect.any(Number) as number },
          },
        ],
        possiblyChance: [],
        notMoved: ['ai_overview', 'chatgpt'],
        notJudged: [],
      },
      shareOfVoice: {
        moved: [{ name: brand.name, isBrand: true }],
        notMoved: ['Rival 1', 'Rival 2', 'Rival 3'],
        notJudged: [],
      },
    });
    const given = { brand: brand.id, before: older, after: '2026-11-30' };
    expect((await assistant.call('compare_weeks', given)).data).toEqual(data);
    const wrong = { brand: brand.id, before: '2026-11-30', after: '2026-11-23' };
    expect(await assistant.failure('compare_weeks', wrong)).toMatchObject({ code: 'invalid_arguments' });
  });
});

describeWithClients('verification', () => {
  const input = { brand: brandId, document: 'competitors' };

  test('reports that a document is the published and signed one, or what does not match', async () => {
    const workspace = await startWorkspace();
    const { keys: own, origin } = workspace.gateway.log;
    const snapshotId = await workspace.publish('2026-11-17');
    const { server } = workspace;
    const withKey = async (SIGHTLINE_PUBLIC_KEY_FILE: string) =>
      await startAssistant({ ...server, env: { ...server.env, SIGHTLINE_PUBLIC_KEY_FILE } });
    const verifier = await withKey(own.publicKey);
    // The API accepts ids in upper case; the manifest has lower case.
    const capitals = { ...input, brand: brandId.toUpperCase(), week: '2026-11-20' };
    expect(await verifier.call('verify_document', capitals)).toMatchObject({
      snapshotId,
      data: {
        document: `brands/${brandId}/competitors`,
        isVerified: true,
        problem: null,
        publishedAt: '2026-11-20T12:00:00.000Z',
        signedBy: own.fingerprint,
        log: { origin, index: 4, size: 6 },
      },
    });
    const other = await makeTestKeys(await temporaryFolder(), 'other');
    const stranger = await withKey(other.publicKey);
    expect(await stranger.call('verify_document', input)).toMatchObject({
      snapshotId,
      data: { isVerified: false, problem: expect.stringMatching(/^signature: /) as string, log: null },
    });
    const keyless = await startAssistant(server);
    expect(await keyless.failure('verify_document', input)).toMatchObject({ code: 'not_configured' });
  });

  test('reports a service that lists a snapshot under another day than it was signed with', async () => {
    const { gateway, publish, server } = await startWorkspace();
    await publish('2026-11-17');
    const liar = await startServer(({ url, headers: { authorization = '' } }, response) => {
      const pass = async () => {
        const answer = await fetch(`${gateway.base}${url}`, { headers: { authorization } });
        const text = (await answer.text()).replaceAll('"asOf":"2026-11-17', '"asOf":"2026-11-24');
        response.writeHead(answer.status).end(text);
      };
      void pass();
    });
    const { publicKey } = gateway.log.keys;
    const env = { ...server.env, SIGHTLINE_URL: liar, SIGHTLINE_PUBLIC_KEY_FILE: publicKey };
    const verifier = await startAssistant({ ...server, env });
    expect(await verifier.call('verify_document', { ...input, week: '2026-11-24' })).toMatchObject({
      data: {
        isVerified: false,
        problem: 'snapshot: it was published as of 2026-11-17T06:00:00.000Z, not 2026-11-24T06:00:00.000Z',
      },
    });
  });
});
