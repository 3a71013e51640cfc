/**
 * Publishes week WEEK of test/snapshots/content.ts and kills itself with SIGKILL WHEN (`before` or `after`) the N-th
 * operation on store and lake together: `publish.program.ts STORE LAKE KEY WEEK BRANDS WHEN N`. Without WHEN and N it
 * completes.
 */
import { systemClock } from '../../../lib/clock.ts';
import { parseStoreLocation } from '../../../lib/config.ts';
import { openStore } from '../../../lib/store/open.ts';
import { readSigner } from '../../../snapshots/signing.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { contentOf } from '../content.ts';
import { ORIGIN, publishSnapshot } from '../publish.ts';

const [storeUrl, lakeUrl, key, week, brands, when, n] = process.argv.slice(2);

const operations = { before: 0, after: 0 };
function dieAt(moment: 'before' | 'after') {
  return () => {
    operations[moment] += 1;
    if (when === moment && operations[moment] === Number(n)) process.kill(process.pid, 'SIGKILL');
  };
}

const open = (url: string) =>
  interposedStore(openStore(parseStoreLocation(url)!), { before: dieAt('before'), after: dieAt('after') });
const [store, lake] = [open(storeUrl!), open(lakeUrl!)];
const parts = { store, lake, origin: ORIGIN, signer: await readSigner(key!), clock: systemClock };
await publishSnapshot(parts, contentOf(Number(week), { brands: Number(brands) }));
store.close();
lake.close();
