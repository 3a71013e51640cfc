import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { signedHead } from '../../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../../snapshots/log/notes/note.ts';
import { readSigner } from '../../../../snapshots/signing.ts';
import { runHere } from '../../../support/command-line.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { one } from '../contract.ts';
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
  await records('workspace', 'set', one, '--name', 'Acme', '--plan', 'agency');
  const created = await records('key', 'create', one, '--label', 'nightly');
  expect(created.stdout).toMatch(/^vis_[0-9a-f]{48}\n$/);
  const key = created.stdout.trim();
  for (const text of [created.stderr, (await records('key', 'list', one)).stdout])
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

/** The beginnings of both keys of the session. */
async function prefixes() {
  const opened = openSqliteRecords(path, { clock: systemClock });
  const [first, second] = await opened.listKeys(one);
  await opened.close();
  return { FIRST: first!.prefix, SECOND: second!.prefix };
}

/* `npx vitest run test/gateway/records/commands --update` writes what new lines print. */
test('the commands of session.txt print what it shows', async () => {
  const before: Record<string, Step> = {
    '# Keys': prefixes,
    '# A checkpoint that a gateway kept': keepCheckpoint,
    '# The same checkpoint again': keepCheckpoint,
  };
  await writeFile(join(folder, 'there.db'), 'mine');
  await writeFile(
    join(folder, 'sql.mjs'),
    `import { DatabaseSync } from 'node:sqlite';
    new DatabaseSync('below/records.db', { defensive: false }).exec(process.argv[2]);`,
  );
  const session = join(import.meta.dirname, 'session.txt');
  const sections = (await readFile(session, 'utf8')).split(/^(?=# )/m);
  const steps = sections.flatMap((section) => [before[section.split('\n')[0]!] ?? '', section]);
  const transcript = await transcriptOf(steps, { folder, settings: { RECORDS_URL: `sqlite:${path}` } });
  await expect(transcript).toMatchFileSnapshot(session);
});
