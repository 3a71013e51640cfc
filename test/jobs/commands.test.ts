/** @module-tag slow */
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemTimer } from '../../lib/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { transcriptOf } from '../support/transcript.ts';
import { writeDrop } from './records.ts';
import { drops } from './drops.ts';

/* `npx vitest run test/jobs/commands --update` writes what new lines print. */
const sessions = join(import.meta.dirname, 'sessions');

/** Each takes four seconds of CPU time or more. */
const long = new Set(['completeness.txt', 'export.txt', 'import.txt', 'remove.txt', 'unpublished.txt']);

beforeEach(endSchedulers);
afterEach(() => void vi.restoreAllMocks());

/**
 * A scheduler looks every second, which takes no time here, and gets SIGTERM when the clock shows its setting `UNTIL`. What
 * waits longer waits for its signal.
 */
function endSchedulers(): void {
  const others = process.listeners('SIGTERM');
  vi.spyOn(systemTimer, 'wait').mockImplementation(async (ms, signal) => {
    if (ms > 1000) await once(signal, 'abort');
    else vi.spyOn(Date, 'now').mockReturnValue(Date.now() + ms);
    if (Date.now() < Date.parse(process.env['UNTIL']!)) return;
    // Its timer would end this process, which lives on.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    for (const listener of process.listeners('SIGTERM').filter((each) => !others.includes(each)))
      listener('SIGTERM');
    vi.useRealTimers();
  });
}

for (const file of readdirSync(sessions))
  test(
    `the commands of sessions/${file} print what it shows`,
    { tags: long.has(file) ? ['long'] : [] },
    async () => {
      const folder = await temporaryFolder();
      for (const [name, files] of Object.entries(drops[file] ?? {}))
        await writeDrop(join(folder, name), files);
      const path = join(sessions, file);
      const place = { folder, settings: { NOW: '2026-11-16T12:00:00Z' } };
      await expect(await transcriptOf([readFileSync(path, 'utf8')], place)).toMatchFileSnapshot(path);
    },
  );
