/** @module-tag long */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../docs/pages.ts';
import { filesBelow } from '../jobs/lake.ts';
import { temporaryFolders } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';
import { generateKeyPair } from '../../snapshots/signing.ts';

interface Statement {
  Effect: string;
  Action: string;
  Resource: string[];
  Condition?: { Null: Record<string, string> };
}

const folder = join(root, 'infra/iam');
const statements = new Map(
  readdirSync(folder).map((name) => {
    const policy = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { Statement: Statement[] };
    return [name.replace('.json', ''), policy.Statement];
  }),
);

/** Matches as IAM does: `*` is any text, including slashes. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}

/** @param object `BUCKET/KEY`, the bucket without `acme-sightline-` */
function allows(role: string, action: string, object: string, header?: string): boolean {
  return statements
    .get(role)!
    .some(
      ({ Effect, Action, Resource, Condition }) =>
        Effect === 'Allow' &&
        Action === `s3:${action}` &&
        Resource.some((pattern) => matches(pattern, `arn:aws:s3:::acme-sightline-${object}`)) &&
        Object.keys(Condition?.Null ?? {}).every((key) => key === `s3:${header}`),
    );
}

const mayWrite = (role: string, key: string) =>
  ['if-none-match', 'if-match', undefined].some((header) => allows(role, 'PutObject', key, header));

const newFolder = temporaryFolders();

describe('of the objects that a real run writes', () => {
  /** The keys that each program added, as `BUCKET/KEY`. */
  const added: Record<string, string[]> = {};

  beforeAll(async () => {
    const base = await newFolder();
    const at = (name: string) => join(base, name);
    const { privatePem: SIGNING_KEY, publicPem: PUBLIC_KEY } = generateKeyPair();
    const keys = { SIGNING_KEY, PUBLIC_KEY, LOG_ORIGIN: 'api.example.com/log' };
    const settings = { ...keys, STORE_URL: at('store'), LAKE_URL: at('lake') };
    const run = async (program: string, ...args: string[]) =>
      expect(await runProgram(program, args, settings)).toMatchObject({ status: 0 });
    const seen = new Set<string>();
    const collect = async (role: string) => {
      const files = (await filesBelow(base)).map((file) => file.slice(base.length + 1));
      added[role] = files.filter(
        (file) => /^(?:store|lake|audit)\//.test(file) && !/\/\.[^/]*$/.test(file) && !seen.has(file),
      );
      for (const file of files) seen.add(file);
    };
    const asOf = ['--as-of', '2026-11-16T06:00:00Z'];
    const size = ['--workspaces', '1', '--brands', '1', '--prompts', '2', '--cycles', '5'];
    await run('jobs/cli.ts', 'demo', '--to', at('drop'), ...size, ...asOf);
    await run('jobs/cli.ts', 'ingest', '--from', at('drop'), '--date', '2026-11-16');
    await collect('ingest');
    await run('jobs/cli.ts', 'weekly', ...asOf);
    await collect('job');
    await run('snapshots/cli.ts', 'verify', '--state', at('audit/checkpoint'));
    await collect('auditor');
  });

  test.each(['ingest', 'job', 'auditor'])(
    '%s may create all, only by conditional writes, and the others may write none',
    (role) => {
      const keys = added[role]!;
      expect(keys.length).toBeGreaterThan(0);
      expect(keys.filter((key) => !allows(role, 'PutObject', key, 'if-none-match'))).toEqual([]);
      expect(keys.filter((key) => allows(role, 'PutObject', key))).toEqual([]);
      for (const other of [...statements.keys()].filter((name) => name !== role))
        expect(keys.filter((key) => mayWrite(other, key))).toEqual([]);
    },
  );

  test('the job may replace and delete what changes or is withdrawn, and nothing else', () => {
    const changing = added['job']!.filter((key) => allows('job', 'PutObject', key, 'if-match'));
    expect(changing.map((key) => key.replace(/[0-9a-f]{64}/, 'HASH')).toSorted()).toEqual([
      'lake/log/HASH/committed.json',
      'store/log/checkpoint',
    ]);
    const deleted = added['job']!.filter((key) => allows('job', 'DeleteObject', key));
    const removable = /^(?:store\/(?:workspaces|heads)|lake\/log\/[0-9a-f]+\/archive)\//;
    expect(deleted).toEqual(added['job']!.filter((key) => removable.test(key)));
    expect(deleted.length).toBeGreaterThan(1);
  });

  test('the gateway may read all that it serves, and neither the lists of inputs nor the lake', () => {
    const read = added['job']!.filter((key) => allows('gateway', 'GetObject', key));
    expect(read).toEqual(added['job']!.filter((key) => /^store\/(?:workspaces|heads|log)\//.test(key)));
    expect(read.length).toBeGreaterThan(3);
  });

  test('the backup may read all, and write only the backup', () => {
    for (const key of [...added['ingest']!, ...added['job']!]) {
      expect(allows('backup', 'GetObject', key)).toBe(true);
      expect(allows('backup', 'PutObject', `backup/store/${key}`)).toBe(true);
    }
  });
});
