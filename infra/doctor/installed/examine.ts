import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { readConfig } from '../../../lib/config.ts';
import { ok, skipped, warning } from '../finding.ts';
import type { Finding } from '../finding.ts';
import { examineAccess } from './access.ts';
import { examineDrops } from './drops.ts';
import type { Installed } from './place.ts';
import type { Run } from './run.ts';
import { examineNights, examineUnits, lastSuccess } from './units.ts';

/** Checks what infra/install has installed on this machine: units, alert, backups, drops, and who can read what. */
export async function examineInstalled(installed: Installed, clock: Clock, run: Run): Promise<Finding[]> {
  const config = readConfig();
  const hasCopy = (await lastSuccess(installed, 'sightline-copy')) !== null;
  const findings = await Promise.all([
    examineUnits(run),
    examineAlert(installed),
    examineNights(installed, config, clock.now(), run),
    examineDrops(join(installed.state, 'incoming'), hasCopy, clock.now()),
    examineAccess(installed, config, run),
  ]);
  return findings.flat();
}

/** Is the script of the alerts still the one that infra/install wrote, which reaches nobody? */
async function examineAlert({ settings }: Installed): Promise<Finding> {
  const subject = 'alert';
  const path = join(settings, 'alert');
  const shipped = await commandsIn(new URL('../../../infra/systemd/alert', import.meta.url));
  const own = await commandsIn(path).catch(() => null);
  if (own === null) return skipped(subject, `${path} cannot be read`);
  if (own !== shipped) return ok(subject, `${path} has lines of your own`);
  return warning(
    subject,
    `${path} only writes to the journal: nobody learns of a failure`,
    `add a line to it that reaches you, and try it with "systemctl start sightline-alert@test"`,
  );
}

async function commandsIn(file: string | URL): Promise<string> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#')).join('\n');
}
