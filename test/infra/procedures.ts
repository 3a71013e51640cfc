import { execFile } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, pageText } from '../docs/pages.ts';
import { filesBelow } from '../jobs/lake.ts';
import { keysWith } from '../jobs/remove/customers.ts';
import { WITHOUT_DRAIN, block, state } from './machine.ts';
import type { Machine } from './machine.ts';

/**
 * What the operator types, in the order of the pages, without the shards, which test/rehearsal runs under load. newcomer.ts
 * restores the records.
 */
const blocks = ['docs/operations.md', 'docs/procedures.md', 'docs/outgrowing.md'].flatMap((page) =>
  blocksOf(pageText(page))
    .filter(({ language }) => language === 'sh')
    .filter(({ text }) => !text.startsWith('for i in 1 2 3 4'))
    .map(({ text }) => text),
);

/**
 * A new installation; two workspaces with two published weeks, of which the newest came without its runs; and an empty
 * database.
 */
const BEFORE = `
systemctl stop 'sightline-*'
umount ${state}/copies
rm -rf ${state} /etc/sightline /var/tmp/*
/opt/sightline/current/infra/install --no-start
${WITHOUT_DRAIN}
${block('name')}
useradd postgres
in_postgres() { (cd / && runuser -u postgres -- /opt/postgres/bin/"$@"); }
in_postgres initdb --auth=trust --username=sightline --no-sync /var/tmp/database
in_postgres pg_ctl start --wait --pgdata=/var/tmp/database --log=/var/tmp/database.log -o '-h 127.0.0.1 -k ""'
POSTGRES_URL=postgres://sightline:secret@127.0.0.1/postgres
sightline job demo --to /var/tmp/drop --workspaces 2 --brands 4 --prompts 2 --cycles 3 --as-of 2026-11-16T06:00:00Z
mkdir /var/tmp/late && mv /var/tmp/drop/runs-2026-11-16.ndjson /var/tmp/late/
sightline job ingest --from /var/tmp/drop --date 2026-10-01
for day in 2026-11-09 2026-11-16; do sightline job weekly --as-of \${day}T12:00:00Z; done
workspace=$(ls ${state}/store/workspaces | head -n 1)
sightline records workspace set $workspace --name Acme --plan scale
sightline records key create $workspace --label "monday report"
`;

/** On the machine that newcomer.ts and recovery.ts leave, with other data. */
export function describeProcedures(machine: Machine): void {
  /** A path of the machine. */
  const at = (...path: string[]) => join(machine.root, ...path);

  describe('docs/operations.md, docs/procedures.md and docs/outgrowing.md', () => {
    const printed = new Map<string, string>();
    const outputOf = (wanted: string) => [...printed].find(([each]) => each.includes(wanted))![1];
    beforeAll(async () => {
      const script = blocks.map((each, index) => `echo "=== ${index}"\n${each}`).join('\n');
      await writeFile(at('srv/page.sh'), `set -euo pipefail\n${BEFORE}\n${script}`);
      const { stdout } = await machine.follow('bash page.sh');
      const outputs = stdout.split(/^=== \d+\n/m).slice(1);
      for (const [index, each] of blocks.entries()) printed.set(each, outputs[index]!);
    }, 20 * 60_000);

    test('operations: a workspace gets a plan and a key, and the records are backed up', () => {
      expect(outputOf('--label "monday report"\n')).toMatch(/^vis_[0-9a-f]{48}$/m);
      expect(outputOf('by-hand.db')).toMatch(/by-hand\.db +\d +\d /);
    });

    test('an upgrade is prepared, a wrong week is withdrawn, the store comes back', async () => {
      expect(outputOf('--to /var/lib/sightline/backups/before.db')).toMatch(
        /before\.db +\d +\d [^]*\n0 failed, /,
      );
      // The snapshot before the mistaken one is served again, and both stay in the log.
      const list = outputOf('audit list');
      expect(list).toMatch(/20261116T120001\.000Z-[0-9a-f]{16} [^\n]* mistaken\n/);
      expect(list).toMatch(/20261116T120000\.000Z-[0-9a-f]{16} [^\n]* current\n/);
      expect(idsIn(list)).toHaveLength(1 + 3); // of the withdrawal, and of the list
      expect(outputOf('store-lost')).toContain('Intact.');
      const weeks = await firstWeekIn(at('var/tmp/copied/store'));
      expect(weeks).toHaveLength(2);
      expect(weeks).toEqual(await firstWeekIn(at(state, 'store-lost')));
    });

    test('a rehearsal, another key for a client, and another key for the log change no snapshot', () => {
      expect(outputOf('mkdir /var/tmp/rehearsal')).toContain('Intact.');
      const leaked = outputOf('key revoke');
      expect(leaked.match(/^vis_[0-9a-f]{48}$/gm)).toHaveLength(1);
      const rotation = outputOf('audit keygen');
      expect(newSnapshotsIn(rotation)).toEqual([0]);
      expect(rotation).toContain('Intact.');
    });

    test('a week that is run again publishes nothing new, and late data one snapshot more for each workspace', () => {
      expect(newSnapshotsIn(outputOf('lake\nsightline job weekly'))).toEqual([0]);
      const late = outputOf('/var/tmp/late\n');
      expect(newSnapshotsIn(late)).toEqual([2]);
      expect(late).toContain('new cycle');
      expect(outputOf('--keep 104')).toMatch(/Would remove 0 snapshots[^]*Removed 0 snapshots/);
    });

    test('a removed customer leaves nothing but ids, and all others keep their snapshots', async () => {
      const removal = outputOf('job remove');
      expect(removal).toMatch(
        /\nWould remove \d+ rows of the workspace: rewrite \d+ objects, and delete \d+.*\. To do it, add --yes\.\n/,
      );
      expect(removal).toMatch(/\nRemoved \d+ rows\. [^]*\n0 failed, /);
      const [removed, other] = (await readdir(at('var/tmp/copied/store/workspaces'))).toSorted();
      const lines = (await readFile(at('var/tmp/drop/brands.ndjson'), 'utf8')).trim().split('\n');
      const brands = lines.map((line) => JSON.parse(line) as { id: string; workspace_id: string });
      const ids = brands.filter(({ workspace_id: owner }) => owner === removed).map(({ id }) => id);
      expect(ids).toHaveLength(2);
      expect(await keysWith(at(state, 'lake'), [...ids, removed!])).toEqual([]);
      const grep = ['-r', '-l', '-F', ...ids.flatMap((id) => ['-e', id]), at(state, 'store')];
      await expect(promisify(execFile)('grep', grep)).rejects.toMatchObject({ code: 1, stdout: '' });
      const left = await filesBelow(at(state, 'store/workspaces', removed!));
      expect(left).toEqual([expect.stringMatching(/\/histories\/[0-9a-f]{64}\.json$/)]);
      const copied = await filesBelow(at('var/tmp/copied/store/workspaces', other!, 'snapshots'));
      expect(await filesBelow(at(state, 'store/workspaces', other!, 'snapshots'))).toEqual(
        expect.arrayContaining(copied.map((file) => file.replace(at('var/tmp/copied'), at(state)))),
      );
    });

    test('records move to PostgreSQL, and the store and the job to other places', () => {
      expect(outputOf('records copy')).toMatch(/^workspaces +keys .*\n +\d+ +\d+ +\d+ +0$/m);
      expect(outputOf('records copy')).toMatch(/\n0 failed, 0 warnings, \d+ ok\n/);
      const moved = outputOf('store-moved\n');
      expect(moved).toMatch(/Intact\.[^]*\n0 failed, /);
      expect(newSnapshotsIn(moved)).toEqual([0]);
      const split = outputOf('mkdir /var/tmp/job-machine');
      expect(split.match(/\n0 failed, /g)).toHaveLength(2);
      expect(newSnapshotsIn(split)).toEqual([0]);
    });
  });
}

/** The manifests of the first week in a store. */
async function firstWeekIn(store: string): Promise<string[]> {
  const manifests = (await filesBelow(store)).filter((file) =>
    /\/20261109T120000.*\.manifest\.json$/.test(file),
  );
  return manifests.map((file) => relative(store, file));
}

const idsIn = (text: string) => text.match(/\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{16}/g) ?? [];

/** The column `new` of each table that weekly printed. */
function newSnapshotsIn(text: string): number[] {
  const rows = text.matchAll(/^workspaces +brands +documents +bytes +new .*\n *\d+ +\d+ +\d+ +\d+ +(\d+) /gm);
  return [...rows].map(([, count]) => Number(count));
}
