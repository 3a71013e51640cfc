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

/** Each takes four seconds of CPU time or more. */
const long = new Set(['completeness.txt', 'export.txt', 'import.txt', 'unpublished.txt']);

for (const file of readdirSync(sessions))
  test(
    `the commands of sessions/${file} print what it shows`,
    { tags: long.has(file) ? ['long'] : [] },
    async () => {
      const folder = await temporaryFolder();
      for (const [name, files] of Object.entries(drops[file] ?? {}))
        await writeDrop(join(folder, name), files);
      const path = join(sessions, file);
      await expect(await transcriptOf(readFileSync(path, 'utf8'), folder)).toMatchFileSnapshot(path);
    },
  );
