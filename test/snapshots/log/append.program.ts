/**
 * Appends the histories of test/snapshots/log/histories.ts with WEEKS (`3,2`: three weeks of workspace 0, two of
 * workspace 1) to STORE, with LAKE and KEY, and kills itself with SIGKILL after the N-th operation on store and lake
 * together. Without N it completes.
 */
import { parseStoreLocation } from '../../../lib/config.ts';
import { readSigner } from '../../../snapshots/signing.ts';
import { openStore } from '../../../lib/store/open.ts';
import { appendToLog } from '../../../snapshots/log/append.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { ORIGIN, histories } from './histories.ts';

const [storeUrl, lakeUrl, key, weeks, n] = process.argv.slice(2);

let operations = 0;
const open = (url: string) =>
  interposedStore(openStore(parseStoreLocation(url)!), {
    after() {
      operations += 1;
      if (operations === Number(n)) process.kill(process.pid, 'SIGKILL');
    },
  });

await appendToLog({
  store: open(storeUrl!),
  lake: open(lakeUrl!),
  origin: ORIGIN,
  signer: await readSigner(key!),
  trust: new Map(),
  histories: () => histories(weeks!.split(',').map(Number)),
});
