import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import { printFindings } from '../../lib/doctor/parts.ts';
import { isMarked } from '../../lib/store/lake.ts';
import { openStore } from '../../lib/store/open.ts';
import { USUAL_ORIGIN } from '../log/identity.ts';
import { readCommitted } from '../log/write/committed.ts';
import { examineKeys } from './keys.ts';
import { examineSnapshots } from './snapshots.ts';
import { examineStore } from './store.ts';

await printFindings(async (args) => {
  const config = readConfig();
  const store = openStore(config.STORE_URL);
  const lake = openStore(config.LAKE_URL);
  try {
    const reached = await examineStore(store, config, args.includes('--probe-writes'));
    const isThere = reached[0]!.state !== 'failure';
    // Null if there is none, or if this machine cannot read the lake.
    const committed = await readCommitted(lake, config.LOG_ORIGIN ?? USUAL_ORIGIN).catch(() => null);
    const remembered = {
      lakeUrl: lake.url,
      isThere: await isMarked(lake).catch(() => false),
      size: committed?.checkpoint.size ?? null,
    };
    const findings = isThere ? await examineSnapshots(store, remembered, config, systemClock) : [];
    return [...reached, ...findings, ...(await examineKeys(config, committed?.signer ?? null))];
  } finally {
    store.close();
    lake.close();
  }
});
