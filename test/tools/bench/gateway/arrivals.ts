import { printTable } from '../../../../lib/cli.ts';
import { openConnection } from '../../load/connection.ts';
import { countOf, percentile } from '../../load/histogram.ts';
import type { Histogram } from '../../load/histogram.ts';
import { realClock, sendPart } from '../../load/send.ts';
import { sumOf } from '../../load/tally.ts';
import type { Tally } from '../../load/tally.ts';
import { demandObjectives, say } from '../objectives.ts';
import type { Options } from './command.ts';
import type { Fixture } from './fixture.ts';
import { gateways, serving } from './servers.ts';
import type { Server } from './servers.ts';
import { mostRequests, MOST_P99_OF_BARE } from './throughput.ts';

/** Until V8 has compiled both programs; without it, 10 ms more were measured at p99. */
const WARM_UP_SECONDS = 5;

/** Requests at a constant rate, whether the server keeps up or not; all rounds of a server are added up. */
export async function compareArrivals(options: Options, fixture: Fixture): Promise<void> {
  const rows = [];
  const objectives = [];
  for (const server of gateways) {
    const most = await mostRequests(server, options, fixture, WARM_UP_SECONDS);
    const rate = Math.round(most.rate / 2);
    const [bare, own]: [Tally[], Tally[]] = [[], []];
    for (let round = 1; round <= options.rounds; round++) {
      say(`round ${round} of ${options.rounds}: bare and ${server} at ${rate}/s`);
      bare.push(await load('bare', rate, options, fixture));
      own.push(await load(server, rate, options, fixture));
    }
    const [waitsOfBare, waits] = [waitsOf(bare), waitsOf(own)];
    rows.push(rowOf('bare', rate, waitsOfBare), rowOf(server, rate, waits));
    const ofBare = percentile(waits, 0.99) / percentile(waitsOfBare, 0.99);
    const wrong = countOf(sumOf([...bare, ...own]).complaints);
    objectives.push(
      { name: `${server}: wrong responses`, measured: wrong, atMost: 0 },
      { name: `${server}: p99, times bare`, measured: ofBare, atMost: MOST_P99_OF_BARE },
    );
  }
  printTable(rows);
  demandObjectives(objectives);
}

const ask = { operation: 'listBrands', answer: 'brands', expected: [200], isSample: false } as const;

/** Milliseconds from when each request was due until its response. */
function waitsOf(tallies: Tally[]): Histogram {
  return sumOf(tallies).operations.get(ask.operation) ?? new Map();
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

async function load(server: Server, rate: number, { connections, seconds }: Options, fixture: Fixture) {
  const request = { ...ask, path: fixture.path, headers: { 'x-api-key': fixture.key } };
  return await serving(server, fixture, async (url) => {
    const send = (duration: number) =>
      sendPart({
        options: { rate, duration, connections, timeLimit: 10 },
        part: { index: 0, of: 1 },
        plan: { next: () => request, learn: () => undefined },
        check: (_, { status }) => (status === 200 ? null : `status ${status}`),
        open: () => openConnection(new URL('/', url)),
        clock: realClock,
      });
    await send(WARM_UP_SECONDS);
    return await send(seconds);
  });
}
