import { spawn } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { publishDemo } from '../../gateway/quickstart-demo.ts';
import { withdraw } from '../adapters/publish.ts';
import { ORIGIN, testLog } from '../snapshots/publish.ts';
import { runHere } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';
import { killAfterTest } from '../support/program.ts';
import { stableText, transcriptOf } from '../support/transcript.ts';
import { makeRecords, otherWorkspaceId, workspaceId } from './gateway.ts';
import { acme, publishBrands } from './snapshots.ts';

const golden = (name: string) => join(import.meta.dirname, `golden/${name}.txt`);

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  const before = process.umask();
  onTestFinished(() => void process.umask(before));
});

test.each(['new', 'there'])('a demo whose data is %s runs the commands of golden/', async (data) => {
  if (data === 'there') await mkdir(join(folder, 'drop'));
  const done: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((said) => done.push(String(said)) > 0);
  onTestFinished(() => write.mockRestore());
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const now = Date.parse('2026-11-16T06:00:00Z');
  await publishDemo(folder, now, async (module, args) => {
    done.push(`\n  ${module} ${args.join(' ')}`);
    vi.advanceTimersByTime(1260);
  });
  const shown = done
    .join('')
    .replaceAll(folder, '.data')
    .replaceAll(/(?= \d+\.\d+ s\n)/g, '\n ');
  await expect(shown).toMatchFileSnapshot(golden(`demo-${data}`));
});

test('what npm start prints if it cannot serve is golden/start-refused.txt', async () => {
  const settings = { LOG_ORIGIN: ORIGIN, PORT: '0', METRICS_PORT: '0' };
  const steps = [
    '$ start --help',
    '$ start now',
    '# A setting that does not parse',
    '$ PORT=http start',
    '# Data that cannot be ingested',
    '$ mkdir -p .data/drop',
    '$ start',
    '# A store without keys',
    "$ mkdir -p store/log; echo 'not a checkpoint' > store/log/note",
    '$ STORE_URL=store start',
    '# A log without a checkpoint',
    async () => ({ PUBLIC_KEY_FILE: (await testLog(folder)).keys.publicKey }),
    '$ STORE_URL=store start',
  ];
  await expect(await transcriptOf(steps, { folder, settings })).toMatchFileSnapshot(golden('start-refused'));
});

test('a gateway that cannot start prints golden/gateway-refused.txt, and makes nothing', async () => {
  await makeRecords(folder);
  await mkdir(join(folder, 'store'));
  await writeFile(join(folder, 'a-note'), 'no database at all, but a note that is long enough');
  await mkdir(join(folder, 'loop'));
  await symlink('log', join(folder, 'loop/log')); // a link to itself cannot be read, even by root
  const before = await readdir(folder);
  const steps = [
    '$ gateway --help',
    '$ gateway now',
    '$ STORE_URL=/nowhere gateway',
    '$ STORE_URL=$FOLDER/a-note gateway',
    '$ STORE_URL=$FOLDER/loop gateway',
    '$ STORE_URL=s3://bucket/store gateway',
    '$ RECORDS_URL=sqlite:$FOLDER/none.db gateway',
    '$ RECORDS_URL=sqlite:$FOLDER/a-note gateway',
    '$ RECORDS_URL=postgres://u:hunter2@127.0.0.1:1/x gateway',
    '$ HOST=192.0.2.1 gateway',
    '$ METRICS_HOST=192.0.2.1 gateway',
    '$ LOG_LEVEL=loud gateway',
  ];
  const settings = {
    FOLDER: folder,
    STORE_URL: join(folder, 'store'),
    RECORDS_URL: `sqlite:${folder}/records.db`,
    PORT: '0',
    METRICS_PORT: '0',
  };
  await expect(await transcriptOf(steps, { settings })).toMatchFileSnapshot(golden('gateway-refused'));
  expect(await readdir(folder)).toEqual(before);
});

/** What `npm start` prints in the folder until it is stopped. */
async function start(settings: Record<string, string>): Promise<string> {
  const { PATH } = process.env;
  const usual = { PATH, PORT: '0', METRICS_PORT: '0', DRAIN_SECONDS: '0', LOG_ORIGIN: ORIGIN };
  const child = spawn(process.execPath, [join(process.cwd(), 'gateway/quickstart.ts')], {
    cwd: folder,
    env: { ...usual, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...settings },
  });
  killAfterTest(child);
  child.stdout.on('data', (chunk) => String(chunk).includes('Ctrl-C') && child.kill('SIGTERM'));
  const ended = new Promise((done) => child.on('exit', done));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect([await ended, stderr]).toEqual([0, '']);
  return stdout;
}

test('npm start serves what is published, as golden/start.txt shows, with the same key until it is revoked', async () => {
  await mkdir(join(folder, '.data'));
  const log = await testLog(join(folder, '.data'));
  const snapshotId = await publishBrands(log, workspaceId, [acme]);
  const trust = { PUBLIC_KEY_FILE: log.keys.publicKey };
  const records = async (...words: string[]) => await runHere('records', words, { folder, settings: {} });
  const shown = [await start(trust)];
  await records('workspace', 'set', workspaceId, '--name', 'Ours', '--plan', 'enterprise');
  shown.push(await start(trust));
  const [key] = /vis_[0-9a-f]{48}/.exec(shown[1]!)!;
  await records('key', 'revoke', key.slice(0, 12));
  await publishBrands(log, otherWorkspaceId, [acme]);
  await withdraw(log, workspaceId, [{ snapshotId, reason: 'mistaken' }]);
  shown.push(await start({ ...trust, STORE_URL: join(folder, '.data/store') }));
  shown.push((await records('workspace', 'list')).stdout);
  await expect(stableText(shown.join('\n'))).toMatchFileSnapshot(golden('start'));
});
