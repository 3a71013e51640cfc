/** @module-tag long */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { beforeAll, describe, expect, test } from 'vitest';
import { pageText, root } from '../docs/pages.ts';
import { filesBelow } from '../jobs/lake.ts';
import { temporaryFolders } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';
import { leaseKey } from '../../snapshots/layout.ts';
import { generateKeyPair } from '../../snapshots/signing.ts';
import { textAt } from './installed.ts';

interface Statement {
  Sid: string;
  Effect: string;
  Action: string;
  Resource: string[];
  Condition?: { Null: Record<string, string> };
}

const folder = join(root, 'infra/iam');
const roles = readdirSync(folder).map((name) => name.replace('.json', ''));
const statements = Object.fromEntries(
  roles.map((role) => {
    const policy = JSON.parse(readFileSync(join(folder, `${role}.json`), 'utf8')) as {
      Version: string;
      Statement: Statement[];
    };
    if (policy.Version !== '2012-10-17') throw new Error(`${role}.json is of another version`);
    return [role, policy.Statement];
  }),
);

/** The action that IAM checks for each command of the SDK. */
const actions: Record<string, string> = {
  DeleteObjectCommand: 's3:DeleteObject',
  GetObjectCommand: 's3:GetObject',
  HeadObjectCommand: 's3:GetObject',
  ListObjectsV2Command: 's3:ListBucket',
  PutObjectCommand: 's3:PutObject',
};

/** Matches as IAM does: `*` is any text, including slashes. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.?+^$[\](){}|\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}

/** @param object `BUCKET/KEY`, the bucket without `acme-sightline-` */
function allows(
  role: string,
  action: string,
  object: string,
  header?: 'if-match' | 'if-none-match',
): boolean {
  return statements[role]!.some(
    ({ Action, Resource, Condition }) =>
      Action === action &&
      Resource.some((pattern) => matches(pattern, `arn:aws:s3:::acme-sightline-${object}`)) &&
      Object.keys(Condition?.Null ?? {}).every((key) => key === `s3:${header}`),
  );
}

const mayCreate = (role: string, object: string) => allows(role, 's3:PutObject', object, 'if-none-match');
const mayReplace = (role: string, object: string) => allows(role, 's3:PutObject', object, 'if-match');

describe('the policies', () => {
  test('allow the actions of the requests that the store sends, and no others', () => {
    const sent = [...textAt('lib/store/s3/bucket.ts').matchAll(/new (\w+Command)\(/g)].map(
      ([, name]) => name!,
    );
    const used = new Set(sent.map((name) => actions[name]));
    expect(used.size).toBeGreaterThan(3);
    const allowed = Object.values(statements).flatMap((all) => all.map(({ Action }) => Action));
    expect(new Set(allowed)).toEqual(used);
  });

  test('only allow, and demand a condition of every write except to the backup', () => {
    for (const [role, all] of Object.entries(statements)) {
      for (const { Effect, Action, Resource, Condition } of all) {
        expect(Effect).toBe('Allow');
        const isBackup = Resource.every((arn) => arn.startsWith('arn:aws:s3:::acme-sightline-backup/'));
        const isWrite = Action === 's3:PutObject' && !isBackup;
        expect([role, Condition?.Null === undefined]).toEqual([role, !isWrite]);
        for (const value of Object.values(Condition?.Null ?? {})) expect(value).toBe('false');
      }
    }
  });

  test('are listed in docs/outgrowing.md, for the buckets of the example for Kubernetes', () => {
    const listed = [...pageText('docs/outgrowing.md').matchAll(/^\| `(\w+)\.json`/gm)].map(
      ([, name]) => name!,
    );
    expect(listed.toSorted()).toEqual(roles.toSorted());
    const named = new Set(
      Object.values(statements).flatMap((all) =>
        all.flatMap(({ Resource }) => Resource.map((arn) => arn.split(':').at(-1)!.split('/')[0])),
      ),
    );
    const { configMapGenerator: maps } = parse(
      textAt('infra/kubernetes/overlays/example/kustomization.yaml'),
    ) as { configMapGenerator: { literals?: string[] }[] };
    const used = maps.flatMap(({ literals = [] }) =>
      literals.flatMap((line) => /=s3:\/\/([^/]+)/.exec(line)?.[1] ?? []),
    );
    expect(named).toEqual(new Set(used));
  });
});

const newFolder = temporaryFolders();

describe('of the objects that a real run writes', () => {
  let at: (name: string) => string;
  /** The keys that each program added, by bucket. */
  const added: Record<string, string[]> = {};
  const seen = new Set<string>();
  const collect = async (role: string) => {
    const found: string[] = [];
    for (const bucket of ['store', 'lake', 'audit']) {
      const files = await filesBelow(at(bucket)).catch((): string[] => []);
      found.push(...files.map((file) => `${bucket}/${file.slice(at(bucket).length + 1)}`));
    }
    added[role] = found.filter((key) => !seen.has(key) && !/\/\.[^/]*$/.test(key));
    for (const key of found) seen.add(key);
  };

  beforeAll(async () => {
    const base = await newFolder();
    at = (name) => join(base, name);
    const { privatePem: SIGNING_KEY, publicPem: PUBLIC_KEY } = generateKeyPair();
    const settings = {
      SIGNING_KEY,
      PUBLIC_KEY,
      LOG_ORIGIN: 'api.example.com/log',
      STORE_URL: at('store'),
      LAKE_URL: at('lake'),
    };
    const run = async (program: string, ...args: string[]) =>
      expect(await runProgram(program, args, settings)).toMatchObject({ status: 0 });
    const asOf = ['--as-of', '2026-11-16T06:00:00Z'];
    const size = ['--workspaces', '1', '--brands', '1', '--prompts', '2', '--cycles', '5'];
    await run('jobs/cli.ts', 'demo', '--to', at('drop'), ...size, ...asOf);
    await run('jobs/cli.ts', 'ingest', '--from', at('drop'), '--date', '2026-11-16');
    await collect('ingest');
    await run('jobs/cli.ts', 'weekly', ...asOf);
    await collect('job');
    await run('snapshots/cli.ts', 'verify', '--state', join(at('audit'), 'checkpoint'));
    await collect('auditor');
  });

  test.each(['ingest', 'job', 'auditor'])('%s may create all, and the others none but its own', (role) => {
    const keys = added[role]!;
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !mayCreate(role, key))).toEqual([]);
    for (const other of roles.filter((name) => name !== role))
      expect(keys.filter((key) => mayCreate(other, key) || mayReplace(other, key))).toEqual([]);
  });

  test('the job may replace what changes, and nothing else', () => {
    const changing = added['job']!.filter((key) => mayReplace('job', key));
    expect(changing.map((key) => key.replace(/[0-9a-f]{64}/, 'HASH')).toSorted()).toEqual([
      'lake/log/HASH/committed.json',
      'store/log/checkpoint',
    ]);
    const lease = `lake/${leaseKey('all')}`;
    expect([mayCreate('job', lease), mayReplace('job', lease)]).toEqual([true, true]);
  });

  test('the job may delete what is replaced or withdrawn, and what it leaves in the lake when it loses a race', () => {
    const deleted = added['job']!.filter((key) => allows('job', 's3:DeleteObject', key));
    expect(deleted).toEqual(
      added['job']!.filter((key) =>
        /^(?:store\/(?:workspaces|heads)|lake\/log\/[0-9a-f]+\/archive)\//.test(key),
      ),
    );
    expect(new Set(deleted.map((key) => key.split('/')[0]))).toEqual(new Set(['store', 'lake']));
  });

  test('the gateway may read all that it serves, and neither the lists of inputs nor the lake', () => {
    const read = added['job']!.filter((key) => allows('gateway', 's3:GetObject', key));
    expect(read).toEqual(added['job']!.filter((key) => /^store\/(?:workspaces|heads|log)\//.test(key)));
    expect(read.length).toBeGreaterThan(3);
  });

  test('the backup may read all, and write only the backup', () => {
    for (const key of [...added['ingest']!, ...added['job']!]) {
      expect(allows('backup', 's3:GetObject', key)).toBe(true);
      expect(allows('backup', 's3:PutObject', `backup/store/${key}`)).toBe(true);
    }
  });
});
