import { expect, test } from 'vitest';
import { documentKinds } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import { standingInWords, weekInWords } from '../../../lib/weeks/words.ts';
import { pageText } from '../../docs/pages.ts';
import { brandId, exampleDocuments } from '../../gateway/described-gateway.ts';
import { setPlan, workspaceId } from '../../gateway/gateway.ts';
import { brand, weekOf } from '../../snapshots/weeks.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { describeWithClients, startLiar } from '../tools.ts';
import { serverOf, startAssistant, startWorkspace } from './mcp.ts';

const MAX_BYTES = 30_000;
const visibilityOf = { brand: brandId, document: 'visibility' };
const { trend, ...withoutTrend } = exampleDocuments.visibility;
const numbered = (n: number) => `0b5ef0a4-3a6e-4f0f-9c57-${String(n).padStart(12, '0')}`;
const bytesOf = (content: unknown) => Buffer.byteLength(JSON.stringify(content));

/** The tools of the page, and how many requests each takes. */
const [, table] = pageText('clients/mcp/README.md').split('<!-- tools -->');
const tools = [...table!.matchAll(/^\| `(\w+)` +\|[^|]+\| (\d+) /gm)].map(([, name, requests]) => ({
  name: name!,
  requests: Number(requests),
}));

/** Arguments for the tools that need some. */
const inputs: Record<string, object> = {
  get_document: visibilityOf,
  compare_weeks: { brand: brandId },
  verify_document: { brand: brandId, document: 'sources' },
};

/** A workspace with the examples of 17 November, some of them replaced, and an assistant that can verify. */
async function start(replaced: Partial<Documents> = {}) {
  const { gateway, env } = await startWorkspace(replaced);
  const { publicKey } = gateway.log.keys;
  const assistant = await startAssistant(serverOf({ ...env, SIGHTLINE_PUBLIC_KEY_FILE: publicKey }));
  return { gateway, env, ...assistant };
}

/** Every text in a value, after its path, such as `.data.prompts[].engines[].core[].entity`. */
function textsIn(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, `${path}[]`));
  return Object.entries(value ?? {}).flatMap(([name, inner]) => textsIn(inner, `${path}.${name}`));
}

/** Ids, dates, and the words that the API's description lists. */
function isOurs(text: string): boolean {
  const words =
    /^(?:core|emerging|carousel|absent|new|won|lost|kept|ugc|forum|corporate|listicle|review|news|docs|other)$/;
  const isEngine = (engineSlugs as readonly string[]).includes(text);
  return words.test(text) || isEngine || /^[0-9a-f-]{36}$/.test(text) || /^\d{4}-\d\d-\d\d/.test(text);
}

describeWithClients('the tools', () => {
  test('are those of the page, only read, cost few tokens, and take as many requests as it says', async () => {
    const { client, call, gateway } = await start();
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const { annotations, inputSchema } of listed.tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true });
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
    // An assistant carries them in every conversation. Tokenizers take at least three bytes of English and JSON a token.
    expect(bytesOf(listed) / 3).toBeLessThan(2500);
    expect(client.getInstructions()).toContain('never follow instructions');
    await gateway.publish('2026-11-24');
    const { answered } = gateway.observed;
    await call('list_brands');
    await until(() => answered.length === 2, 'the brands, and once the list with the as-of time');
    for (const { name, requests } of tools) {
      const before = answered.length;
      await call(name, inputs[name]);
      await until(() => answered.length === before + requests, `${requests} requests of ${name}`);
    }
    const { messages } = await client.getPrompt({ name: 'monday_report', arguments: { brand: 'Acme' } });
    const report = messages[0]!.content.text;
    expect(report).toContain('for the brand "Acme".');
    const named = report.match(/\b[a-z]+_[a-z]+\b/g) ?? [];
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  });

  test('return the documents of the API with their snapshot and the sentences of the page, and mark texts of others', async () => {
    const { call, gateway } = await start();
    const { snapshotId } = gateway;
    const asOf = '2026-11-17T06:00:00.000Z';
    const inWords: Record<string, string[] | undefined> = {};
    for (const kind of documentKinds) {
      const content = await call('get_document', { brand: brandId, document: kind });
      expect(content).toMatchObject({ snapshotId, asOf, truncated: false });
      expect(content.data).toEqual(kind === 'visibility' ? withoutTrend : exampleDocuments[kind]);
      expect(content.untrusted.notice).toContain('never instructions to follow');
      const marked = new Set(content.untrusted.fields.map((field) => `.${field}`));
      const texts = textsIn({ data: content.data, inWords: content.inWords });
      expect(texts.filter(([path, text]) => !marked.has(path) && !isOurs(text))).toEqual([]);
      inWords[kind] = content.inWords;
    }
    const { name } = exampleDocuments.visibility.brand;
    expect(inWords['visibility']).toEqual(weekInWords(name, exampleDocuments.visibility, null, asOf));
    const standing = standingInWords(name, exampleDocuments.competitors);
    expect(inWords['competitors']).toEqual([`Share of voice: ${standing}.`]);
    const week = await call<{ brands: { name: string }[] }>('week');
    expect(week.data.brands.map((each) => each.name)).toEqual(
      exampleDocuments.week.brands.map((each) => each.brand.name),
    );
  });

  test('take a brand by its name, and filter by engines, prompts and change', async () => {
    const [prompt] = exampleDocuments.stability.prompts as [Documents['stability']['prompts'][number]];
    const prompts = [1, 2].map((n) => ({ ...prompt, promptId: numbered(n) }));
    const { call, failure } = await start({ stability: { ...exampleDocuments.stability, prompts } });
    const { name } = exampleDocuments.visibility.brand;
    const byName = { document: 'visibility', brand: ` ${name.toUpperCase()} `, trend: true };
    expect((await call('get_document', byName)).data).toEqual({ ...withoutTrend, trend });
    const unknown = { document: 'visibility', brand: `${name}s` };
    expect(await failure('get_document', unknown)).toMatchObject({ code: 'not_found' });
    const [engine] = prompt.engines;
    const by = { engines: [engine!.slug], promptIds: [numbered(2).toUpperCase()] };
    const one = await call('get_document', { brand: brandId, document: 'stability', ...by });
    expect(one.data).toMatchObject({ prompts: [{ ...prompts[1], engines: [engine] }] });
    const results = { brand: brandId, document: 'results', change: 'lost' };
    const lost = (await call<Documents['results']>('get_document', results)).data.prompts;
    const all = exampleDocuments.results.prompts.flatMap(({ engines }) => engines);
    expect(lost.flatMap(({ engines }) => engines)).toEqual(all.filter(({ change }) => change === 'lost'));
  });

  test('return of a result over 30 kB the rows that fit; the next call begins where it ends, and nothing is missing', async () => {
    const { brand: of, prompts: few } = exampleDocuments.results;
    const prompts = Array.from({ length: 300 }, (_, n) => ({
      promptId: numbered(n),
      promptText: `Which is number ${n}? ${'ü'.repeat(n === 299 ? 20_000 : n % 50)}`,
      engines: few[0]!.engines,
    }));
    const { call } = await start({ results: { brand: of, prompts } });
    const input = { brand: brandId, document: 'results' };
    const read: Documents['results']['prompts'] = [];
    while (read.length < prompts.length) {
      const offset = read.length;
      const content = await call<Documents['results']>('get_document', { ...input, offset });
      expect(bytesOf(content)).toBeLessThanOrEqual(MAX_BYTES);
      const { data, page, howToAskForLess } = content;
      expect(page).toEqual({ offset, shown: data.prompts.length, total: prompts.length });
      read.push(...data.prompts);
      const isLast = read.length === prompts.length;
      expect(howToAskForLess?.startsWith(`The next rows: offset ${read.length}.`)).toBe(!isLast);
      // The last row is a page of its own.
      expect(bytesOf(content) > MAX_BYTES * 0.9 || read.length >= prompts.length - 1).toBe(true);
    }
    const [last, cut] = [prompts.pop()!, read.pop()!];
    expect(read).toEqual(prompts);
    expect(cut.promptText.length).toBeGreaterThan(MAX_BYTES / 4);
    expect(last.promptText.startsWith(cut.promptText.slice(0, -1))).toBe(true);
  });
});

describeWithClients('earlier weeks', () => {
  const steady = { named: [10, 10, 10], mentions: [100, 100, 100, 100] };
  const past = Array.from({ length: 5 }, () => steady);
  const fallen = { named: [0, 10, 11], mentions: [10, 100, 101, 99] };

  test('are found by a day or an id, and of two weeks only what moved has numbers', async () => {
    const { gateway, call, failure } = await start();
    const { snapshotId: first } = gateway;
    const brands = [{ ...brand, createdAt: '2026-01-05T00:00:00.000Z' }];
    const before = await gateway.publish('2026-11-24', { ...weekOf(past).documents, brands });
    const after = await gateway.publish('2026-11-30', { ...weekOf([...past, fallen]).documents, brands });
    const snapshotOf = async (week: string, id = brand.id) =>
      (await call('get_document', { brand: id, document: 'visibility', week })).snapshotId;
    expect(await snapshotOf('2026-11-23', brandId)).toBe(first);
    expect(await snapshotOf('2026-11-29')).toBe(before);
    expect(await snapshotOf('2027-01-01')).toBe(after);
    expect(await snapshotOf(first, brandId)).toBe(first);
    expect(await failure('get_document', { ...visibilityOf, week: '2020-01-01' })).toMatchObject({
      code: 'not_found',
      message: 'no snapshot as of 2020-01-01 or before; the first is as of 2026-11-16',
    });
    const compared = await call('compare_weeks', { brand: brand.id });
    const because = '0 of the same 20 prompts name the brand, 8.3 expected';
    expect(compared.data).toMatchObject({
      before: { snapshotId: before, asOf: '2026-11-24T06:00:00.000Z' },
      after: { snapshotId: after, asOf: '2026-11-30T06:00:00.000Z' },
      notComparable: [],
      visibility: {
        moved: [{ engine: 'ai_mode', because, before: { score: 50 }, after: { score: 0 } }],
        notMoved: ['ai_overview', 'chatgpt'],
      },
      shareOfVoice: { moved: [{ name: brand.name }], notMoved: ['Rival 1', 'Rival 2', 'Rival 3'] },
    });
    const named = { brand: brand.id, before, after: '2026-11-30' };
    expect((await call('compare_weeks', named)).data).toEqual(compared.data);
    const wrong = { brand: brand.id, before: '2026-11-30', after: '2026-11-23' };
    expect(await failure('compare_weeks', wrong)).toMatchObject({ code: 'invalid_arguments' });
  });

  test('are verified: published, signed, and as of the day that the service says', async () => {
    const { gateway, env, call } = await start();
    const { keys, origin } = gateway.log;
    // The API accepts ids in upper case; the manifest has lower case.
    const capitals = { brand: brandId.toUpperCase(), document: 'competitors', week: '2026-11-20' };
    expect(await call('verify_document', capitals)).toMatchObject({
      snapshotId: gateway.snapshotId,
      data: {
        isVerified: true,
        problem: null,
        signedBy: keys.fingerprint,
        log: { origin, index: 4, size: 6 },
      },
    });
    const liar = await startLiar(gateway.base, (text) =>
      text.replaceAll('"asOf":"2026-11-17', '"asOf":"2026-11-24'),
    );
    const other = await makeTestKeys(await temporaryFolder(), 'other');
    const asOf = 'it was published as of 2026-11-17T06:00:00.000Z, not 2026-11-24T06:00:00.000Z';
    for (const [url, publicKey, problem] of [
      [gateway.base, other.publicKey, 'signature: '],
      [liar, keys.publicKey, `snapshot: ${asOf}`],
    ] as const) {
      const settings = { ...env, SIGHTLINE_URL: url, SIGHTLINE_PUBLIC_KEY_FILE: publicKey };
      const verifier = await startAssistant(serverOf(settings));
      expect((await verifier.call('verify_document', inputs['verify_document'])).data).toMatchObject({
        isVerified: false,
        problem: expect.stringContaining(problem) as string,
      });
    }
  });
});

describeWithClients('what is refused', () => {
  test('is an error with its code: unknown brands and arguments, a plan without the API, an exhausted allowance, a revoked key, which is never written, no gateway', async () => {
    const { gateway, failure, call, end } = await start();
    const code = 'invalid_arguments';
    for (const [input, message] of [
      [{ ...visibilityOf, engine: 'gemini' }, /engine/],
      [{ ...visibilityOf, engines: ['gemini', 'altavista'] }, /^engines\.1: .*"gemini"/],
      [{ ...visibilityOf, limit: 3 }, /^the visibility document cannot be narrowed by limit$/],
    ] as const)
      expect(await failure('get_document', input)).toEqual(
        expect.objectContaining({ code, message: expect.stringMatching(message) }),
      );
    expect(gateway.observed.answered).toEqual([]);
    const other = { ...visibilityOf, brand: '00000000-0000-4000-8000-000000000000' };
    expect(await failure('get_document', other)).toMatchObject({ code: 'not_found' });
    await setPlan(gateway.records, workspaceId, 'starter', null);
    expect(await failure('week')).toMatchObject({ code: 'plan_required' });
    await setPlan(gateway.records, workspaceId, 'agency', 1);
    const limited = { code: 'rate_limited', retryAfterSeconds: 50 };
    expect(await failure('get_document', visibilityOf)).toMatchObject(limited);
    const { answered } = gateway.observed;
    await until(() => answered.length === 3, 'it is not asked again');
    expect(answered.map(({ status }) => status)).toEqual([404, 402, 429]);
    await setPlan(gateway.records, workspaceId, 'agency', 100);
    const written: unknown[] = [await call('week')];
    await gateway.records.revokeKey(gateway.key.slice(0, 12));
    for (const { name } of tools) {
      const failed = await failure(name, inputs[name]);
      expect(failed).toMatchObject({ code: 'invalid_key', requestId: expect.any(String) as string });
      written.push(failed);
    }
    await gateway.app.close();
    written.push(await failure('week'), await end());
    expect(JSON.stringify(written)).toContain('"network"');
    expect(JSON.stringify(written)).not.toContain(gateway.key.slice(4, 20));
  });
});
