/**
 * Takes DROP into LAKE and dies of SIGKILL, itself, after the N-th operation on the lake: `ingest.program.ts LAKE DROP N`.
 */
import { parseStoreLocation } from '../../../lib/config.ts';
import { openStore } from '../../../lib/store/open.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { interposedStore } from '../../support/interposed-store.ts';

const [location, drop, n] = process.argv.slice(2);

const lake = interposedStore(openStore(parseStoreLocation(location!)!), {
  after: ({ number }) => {
    if (number === Number(n)) process.kill(process.pid, 'SIGKILL');
  },
});
const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };
await ingest({ from: drop!, lake, date: '2026-11-16' }, { clock });
