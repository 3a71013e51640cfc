import { printTable } from '../../../../lib/cli.ts';
import { openConnection } from '../../load/connection.ts';
import { addTo, countOf, percentile } from '../../load/histogram.ts';
import type { Histogram } from '../../load/histogram.ts';
import { realClock, sendPart } from '../../load/send.ts';
import { demandObjectives, say } from '../objectives.ts';
import type { Options } from './command.ts';
import type { Fixture } from './fixture.ts';
import { gateways, serving } from './servers.ts';
import type { Server } from './servers.ts';
import { MOST_P99_OF_BARE } from './throughput.ts';
import { runWrk } from './wrk.ts';

/** Until V8 has compiled both programs; without it, 10 ms more were measured at p99. */
const WARM_UP_SECONDS = 5;

/** Requests at a constant rate, whether the server keeps up or not; all rounds of a server are added up. */
export async function compareArrivals(options: Options, fixture: Fixture): Promise<void> {
  const rows = [];
  const objectives = [];
  for (const server of gateways) {
    const rate = await halfOfMost(server, options, fixture);
    const [own, bare]: Histogram[] = [new Map(), new Map()];
    let wrong = 0;
    for (let round = 1; round <= options.rounds; round++) {
      for (const [each, waits] of [
        ['bare', bare!],
        [server, own!],
      ] as const) {
        const measured = await waitsAt(rate, each, options, fixture);
        say(`round ${round}: ${each} at ${rate}/s p99 ${percentile(measured.waits, 0.99).toFixed(2)} ms`);
        addTo(waits, measured.waits);
        wrong += measured.wrong;
      }
    }
    rows.push(rowOf('bare', rate, bare!), rowOf(server, rate, own!));
    const ofBare = percentile(own!, 0.99) / percentile(bare!, 0.99);
    objectives.push(
      { name: `${server}: wrong responses`, measured: wrong, atMost: 0 },
      { name: `${server}: p99, times bare`, measured: ofBare, atMost: MOST_P99_OF_BARE },
    );
  }
  printTable(rows);
  demandObjectives(objectives);
}

function rowOf(name: string, rate: number, waits: Histogram) {
  const ms = (share: number) => percentile(waits, share).toFixed(2);
  return {
    name,
    'requests/s': rate,
    'p50 ms': ms(0.5),
    'p99 ms': ms(0.99),
    'p99.9 ms': ms(0.999),
    'max ms': ms(1),
  };
}

async function halfOfMost(server: Server, options: Options, fixture: Fixture): Promise<number> {
  const { connections, seconds } = options;
  return await serving(server, fixture, async (url) => {
    const load = { url, connections, key: fixture.key };
    await runWrk({ ...load, seconds: WARM_UP_SECONDS });
    const { requests, seconds: took } = await runWrk({ ...load, seconds });
    return Math.round(requests / took / 2);
  });
}

/** Milliseconds from when each request was due until its response. */
async function waitsAt(
  rate: number,
  server: Server,
  { connections, seconds }: Options,
  fixture: Fixture,
): Promise<{ waits: Histogram; wrong: number }> {
  const ask = {
    operation: 'listBrands',
    answer: 'brands',
    path: fixture.path,
    headers: { 'x-api-key': fixture.key },
    expected: [200],
    isSample: false,
  } as const;
  return await serving(server, fixture, async (url) => {
    const send = (duration: number) =>
      sendPart({
        options: { rate, duration, connections, timeLimit: 10 },
        part: { index: 0, of: 1 },
        plan: { next: () => ask, learn: () => undefined },
        check: (_, { status }) => (status === 200 ? null : `status ${status}`),
        open: () => openConnection(new URL('/', url)),
        clock: realClock,
      });
    await send(WARM_UP_SECONDS);
    const { operations, complaints } = await send(seconds);
    return { waits: operations.get(ask.operation) ?? new Map<number, number>(), wrong: countOf(complaints) };
  });
}
