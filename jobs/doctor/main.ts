import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import { findRoom, findWritable } from '../../lib/doctor/disk.ts';
import { examine, ok, warning } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { printFindings } from '../../lib/doctor/parts.ts';
import { openStore } from '../../lib/store/open.ts';
import { examineLake } from './lake.ts';

await printFindings(async () => {
  const { LAKE_URL: location } = readConfig();
  const scratch = await findRoom('scratch: disk', tmpdir());
  if (location.kind === 'directory' && !existsSync(location.path)) {
    const remedy = '"npm run job -- ingest" makes it; or correct LAKE_URL';
    return [warning('lake', `${location.path} does not exist`, remedy), scratch];
  }
  const lake = openStore(location);
  try {
    const reached = await examine('lake', 'correct LAKE_URL, S3_ENDPOINT or the AWS_ settings', async () => {
      await lake.check('lake');
      return ok('lake', lake.url);
    });
    if (reached[0]!.state === 'failure') return [...reached, scratch];
    const disk: Finding[] =
      location.kind === 's3'
        ? []
        : [
            await findWritable('lake: writable', location.path, 'an ingest'),
            await findRoom('lake: disk', location.path),
          ];
    return [...reached, ...(await examineLake(lake, BigInt(systemClock.now()) * 1000n)), ...disk, scratch];
  } finally {
    lake.close();
  }
});
