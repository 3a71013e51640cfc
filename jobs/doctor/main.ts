import { tmpdir } from 'node:os';
import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import { findRoom, findWritable } from '../../lib/doctor/disk.ts';
import { examine, formatOf } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import type { Failure } from '../../lib/failure.ts';
import { printFindings } from '../../lib/doctor/parts.ts';
import { s3Remedy } from '../../lib/doctor/s3-remedy.ts';
import { openStore } from '../../lib/store/open.ts';
import { examineLake, findLake } from './lake.ts';

await printFindings(async () => {
  const config = readConfig();
  const { LAKE_URL: location, STORE_URL } = config;
  const scratch = await findRoom('scratch: disk', tmpdir(), 'or set TMPDIR to a folder on a larger disk');
  const [lake, store] = [openStore(location), openStore(STORE_URL)];
  try {
    const remedy = (thrown: Failure) =>
      location.kind === 's3' ? s3Remedy('LAKE_URL', thrown) : 'correct LAKE_URL';
    const there = await examine('lake', remedy, async () => await findLake(lake, store));
    if (there[0]!.state !== 'ok') return [...there, scratch];
    const disk: Finding[] =
      location.kind === 's3'
        ? []
        : [
            await findWritable('lake: writable', location.path, 'an ingest'),
            await findRoom(
              'lake: disk',
              location.path,
              'or move the lake to a larger one, and correct LAKE_URL',
            ),
          ];
    return [
      ...there,
      formatOf('lake'),
      ...(await examineLake(lake, store, config, BigInt(systemClock.now()) * 1000n)),
      ...disk,
      scratch,
    ];
  } finally {
    lake.close();
    store.close();
  }
});
