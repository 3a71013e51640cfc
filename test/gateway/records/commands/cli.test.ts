import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { signedHead } from '../../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../../snapshots/log/notes/note.ts';
import { readSigner } from '../../../../snapshots/signing.ts';
import { runHere } from '../../../support/command-line.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { managing, one as id, two } from '../contract.ts';
import { transcriptOf } from '../../../support/transcript.ts';
import type { Step } from '../../../support/transcript.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder, 'below', 'records.db');
});

const records = (...args: string[]) =>
  runHere('records', args, { settings: { RECORDS_URL: `sqlite:${path}` } });

test('a key is printed once, alone on stdout, and stored nowhere', async () => {
  await records('workspace', 'set', id, '--name', 'Acme', '--plan', 'agency');
  const created = await records('key', 'create', id, '--label', 'nightly');
  expect(created.stdout).toMatch(/^vis_[0-9a-f]{48}\n$/);
  const key = created.stdout.trim();
  for (const text of [created.stderr, (await records('key', 'list', id)).stdout])
    expect(text).not.toContain(key.slice(0, 13));
  const stored = await readFile(path, 'latin1');
  expect(stored).not.toContain(key.slice(0, 13));
  expect(stored).toContain(createHash('sha256').update(key).digest('hex'));
});

/** What gateways would keep of a log. */
async function keepCheckpoint(): Promise<void> {
  const origin = 'sightline.example/log';
  const signer = await readSigner('test/frozen/key.private.pem');
  const note = formatNote(signedHead({ origin, size: 12, root: Buffer.alloc(32, 7) }, [signer]).note);
  const opened = openSqliteRecords(path, { clock: systemClock });
  await opened.keepCheckpoint(origin, 12, note);
  await opened.close();
}

test('what the commands print is golden/session.txt', async () => {
  const set = `$ records workspace set ${id}`;
  let shop: Buffer | undefined;
  const inFile = (sql: string) => {
    using database = new DatabaseSync(path, { defensive: false });
    database.exec(sql);
  };
  const prefixes = () => {
    using database = new DatabaseSync(path);
    const [first, second] = database.prepare('select prefix from keys order by id').all();
    return { FIRST: String(first!['prefix']), SECOND: String(second!['prefix']) };
  };
  await writeFile(join(folder, 'there.db'), 'mine');
  const steps: Step[] = [
    '# Help',
    ...[
      '',
      'workspace',
      'workspace set',
      'workspace list',
      'key',
      'key create',
      'key list',
      'key revoke',
      'log',
    ]
      .concat('log show', 'log forget', 'migrate', 'copy', 'backup')
      .map((command) => `$ records ${command} --help`.replace('  ', ' ')),
    '$ records --version',
    '# Wrong usage, which touches nothing',
    '$ records',
    '$ records workspaces',
    '$ records workspace set acme --name A --plan agency',
    ...['0', '1000000001', '1.5', 'ten'].map((given) => `${set} --requests-per-minute ${given}`),
    `${set} --name ' ' --plan agency`,
    '$ records key revoke vis_%%%%%%%%',
    '$ records copy --from a.db --to postgres://127.0.0.1:1/x',
    '$ records copy --from postgres://127.0.0.1:1/x --to postgres://127.0.0.1:1/x',
    '$ records copy --from sqlite:a.db --to sqlite:b.db',
    () => expect(existsSync(dirname(path))).toBe(false),
    '# No file',
    ...managing,
    `${set} --name Acme`,
    '$ records backup --to backup.db',
    () => expect(existsSync(dirname(path))).toBe(false),
    '# An empty file',
    async () => {
      await mkdir(dirname(path));
      await writeFile(path, '');
    },
    ...managing,
    async () => expect(await readFile(path)).toHaveLength(0),
    '# A file of another program, which is not changed',
    () => inFile('create table orders (id integer); create table keys (id integer)'),
    async () => void (shop = await readFile(path)),
    ...managing,
    '$ records migrate',
    `${set} --name Acme --plan agency`,
    async () => {
      expect(await readFile(path)).toEqual(shop);
      await rm(path);
    },
    '# Records',
    '$ records migrate',
    '$ records migrate --json',
    '$ records workspace list',
    '$ records workspace list --json',
    `${set} --name Acme`,
    `${set} --plan agency`,
    `${set} --name 'Acme Ltd' --plan Agency`,
    `${set} --requests-per-minute 1000000000`,
    `${set.toUpperCase().replace('RECORDS WORKSPACE SET', 'records workspace set')} --name ' Acme ' --json`,
    `${set} --requests-per-minute plan`,
    `$ records workspace set ${two} --name Two --plan agencies`,
    '$ records workspace list',
    '$ records workspace list --json',
    `$ records key list ${id}`,
    `$ records key create ${id} --label nightly`,
    `$ records key create ${id} --json`,
    `$ records key create ${id.replace('1', '3')}`,
    `$ records key list ${id}`,
    prefixes,
    '$ records key revoke $FIRST',
    '$ records key revoke $FIRST',
    '$ records key revoke $SECOND --json',
    '$ records key revoke vis_00000000',
    `$ records key list ${id} --json`,
    '$ records log show',
    '$ records log show --json',
    keepCheckpoint,
    '$ records log show',
    '$ records log show --json',
    '$ records log forget other.example/log',
    '$ records log forget sightline.example/log',
    '$ records log forget sightline.example/log --json',
    keepCheckpoint,
    '$ records log forget sightline.example/log --json',
    '$ records backup --to backup.db',
    '$ records backup --to there.db',
    '$ records backup --to none/backup.db',
    '# Spoilt records, of which nothing is written',
    // A row that violates a rule of the schema.
    () =>
      inFile(`pragma writable_schema = on;
        update sqlite_schema set sql = replace(sql, 'label text', 'label text not null')`),
    '$ records backup --to spoilt.db',
    () => inFile('pragma user_version = 99'),
    '$ records backup --to spoilt.db',
    '$ records workspace list',
    async () => await truncate(path, (await stat(path)).size - 4096),
    '$ records backup --to spoilt.db',
    () => ({ RECORDS_URL: 'postgres://127.0.0.1:1/none' }),
    '$ records backup --to backup.db',
    '$ records workspace list',
    () => ({ RECORDS_URL: 'mysql://127.0.0.1:1/none' }),
    '$ records workspace list',
  ];
  const transcript = await transcriptOf(steps, { folder, settings: { RECORDS_URL: `sqlite:${path}` } });
  await expect(transcript).toMatchFileSnapshot(join(import.meta.dirname, 'golden/session.txt'));
  expect(await readFile(join(folder, 'there.db'), 'utf8')).toBe('mine');
  expect((await readdir(folder)).toSorted()).toEqual(['backup.db', 'below', 'there.db']);
});
