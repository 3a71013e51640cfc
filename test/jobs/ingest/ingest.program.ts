/**
 * Takes DROP into LAKE and dies of SIGKILL, itself, when WHEN (`before` or `after`) the N-th operation on the lake is
 * reached: `ingest.program.ts LAKE DROP WHEN N`.
 */
import { parseStoreLocation } from '../../../lib/config.ts';
import { openStore } from '../../../lib/store/open.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import type { Operation } from '../../support/interposed-store.ts';

const [location, drop, when, n] = process.argv.slice(2);

function dieAt(moment: string) {
  return ({ number }: Operation) => {
    if (when === moment && number === Number(n)) process.kill(process.pid, 'SIGKILL');
  };
}

const lake = interposedStore(openStore(parseStoreLocation(location!)!), {
  before: dieAt('before'),
  after: dieAt('after'),
});
const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };
await ingest({ from: drop!, lake, date: '2026-11-16' }, { clock });
