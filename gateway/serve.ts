import type { Config } from '../lib/config.ts';
import type { GatewayLog } from './log.ts';
import { startGateway } from './server.ts';

/** Serves until SIGTERM or SIGINT, then finishes what is in flight. `onListening` is told where. */
export async function serve(
  config: Config,
  log: GatewayLog,
  onListening?: (url: string) => void,
): Promise<void> {
  const gateway = await startGateway(config, log);
  const { url, operationsUrl, storeName, recordsName } = gateway;
  log.info({ url, operations: operationsUrl, store: storeName, records: recordsName }, 'serving');
  onListening?.(url);
  await untilStopped();
  log.info('stopping');
  await gateway.stop();
  log.info('stopped');
  await log.close();
}

async function untilStopped(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
