/** @module-tag slow */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { writeDrop } from './records.ts';
import { drops } from './drops.ts';
import { transcriptOf } from './transcript.ts';

/* `npx vitest run test/jobs/commands --update` writes what new lines print. */
const sessions = join(import.meta.dirname, 'sessions');

test.each(readdirSync(sessions))('the commands of sessions/%s print what it shows', async (file) => {
  const folder = await temporaryFolder();
  for (const [name, files] of Object.entries(drops[file] ?? {})) await writeDrop(join(folder, name), files);
  const path = join(sessions, file);
  await expect(await transcriptOf(readFileSync(path, 'utf8'), folder)).toMatchFileSnapshot(path);
});
