import pTimeout from 'p-timeout';
import type { Config } from '../lib/config.ts';
import { Failure, reasonOf } from '../lib/failure.ts';
import type { GatewayLog } from './observe/log.ts';
import { CLOSING_MS } from './time-limits.ts';
import { drainSeconds, startGateway } from './start-gateway.ts';

/**
 * Starts the gateway and serves until SIGTERM, SIGINT or SIGHUP, then finishes the requests in flight. `onListening` gets the
 * address.
 * @throws Failure if a part does not close in time
 */
export async function runGateway(
  config: Config,
  log: GatewayLog,
  onListening?: (url: string) => void,
): Promise<void> {
  const gateway = await startGateway(config, log);
  const { url, operationsUrl, storeName, recordsName } = gateway;
  logUncaught(log);
  const stopped = untilStopped(); // before the line that says that it can be stopped
  log.info({ url, operations: operationsUrl, store: storeName, records: recordsName }, 'serving');
  onListening?.(url);
  await stopped;
  log.info('stopping');
  const milliseconds = stopLimitMs(config);
  const message = new Failure(`did not stop within ${milliseconds} ms, and was ended`);
  await pTimeout(gateway.stop(), { milliseconds, message });
  log.info('stopped');
}

/** How long a gateway may take to stop before it is ended, in milliseconds. */
export function stopLimitMs(config: Config): number {
  return (drainSeconds(config) + config.SHUTDOWN_SECONDS) * 1000 + CLOSING_MS;
}

/** A second signal is ignored: npm and a terminal each send one, and by default it would cut requests in flight. */
async function untilStopped(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
}

/** A defect ends the process: nobody knows what else it broke. */
function logUncaught(log: GatewayLog): void {
  const end = async (error: Error) => {
    log.error({ reason: reasonOf(error), stack: error.stack }, 'ended by an uncaught error');
    await log.close();
    process.exit(1);
  };
  process.once('uncaughtException', (error) => void end(error));
}
