/**
 * Publishes week WEEK of test/snapshots/publication.ts to STORE and kills itself with SIGKILL WHEN (`before` or
 * `after`) the N-th operation on the store: `publish.program.ts STORE WEEK BRANDS WHEN N`. Without WHEN and N it
 * completes.
 */
import { parseStoreLocation } from '../../../lib/config.ts';
import { openStore } from '../../../lib/store/open.ts';
import { publishSnapshot } from '../../../snapshots/publish/publish.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import type { Operation } from '../../support/interposed-store.ts';
import { publicationOf } from '../publication.ts';

const [location, week, brands, when, n] = process.argv.slice(2);

function dieAt(moment: string) {
  return ({ number }: Operation) => {
    if (when === moment && number === Number(n)) process.kill(process.pid, 'SIGKILL');
  };
}

const store = openStore(parseStoreLocation(location!)!);
const interposed = interposedStore(store, { before: dieAt('before'), after: dieAt('after') });
await publishSnapshot(interposed, publicationOf(Number(week), { brands: Number(brands) }));
