import { printTable } from '../../../../lib/cli.ts';
import { demandObjectives, median, say } from '../objectives.ts';
import type { Options } from './command.ts';
import type { Fixture } from './fixture.ts';
import { gateways, serving } from './servers.ts';
import type { Server } from './servers.ts';
import { runWrk } from './wrk.ts';
import type { Sample } from './wrk.ts';

const WARM_UP_SECONDS = 2;
/** The least share of the bare route's requests per second. */
const LEAST_OF_BARE = { sqlite: 0.7, postgres: 0.5 };
/** The most that p99 may be, as a multiple of the bare route's. */
export const MOST_P99_OF_BARE = 3;
/** Other numbers of connections are measured to compare them. */
const CONNECTIONS_WITH_OBJECTIVES = 64;

/** As many requests as the servers can take, in turns; the medians count. */
export async function compareThroughput(options: Options, fixture: Fixture): Promise<void> {
  const samples: Record<Server, Sample[]> = { bare: [], sqlite: [], postgres: [] };
  for (let round = 1; round <= options.rounds; round++) {
    for (const [server, taken] of Object.entries(samples)) {
      const sample = await mostRequests(server as Server, options, fixture, WARM_UP_SECONDS);
      say(`round ${round}: ${server} ${Math.round(sample.rate)}/s`);
      taken.push(sample);
    }
  }
  const medianOf = (server: Server, name: keyof Sample) => median(samples[server].map((each) => each[name]));
  const ofBare = (server: Server, name: keyof Sample) => medianOf(server, name) / medianOf('bare', name);
  printTable(
    (['bare', ...gateways] as const).map((server) => ({
      name: server,
      'requests/s': Math.round(medianOf(server, 'rate')),
      'of bare': `${Math.round(ofBare(server, 'rate') * 100)} %`,
      'p50 ms': medianOf(server, 'p50').toFixed(2),
      'p99 ms': medianOf(server, 'p99').toFixed(2),
      'p99.9 ms': medianOf(server, 'p999').toFixed(2),
    })),
  );
  const wrong = Object.values(samples).flatMap((taken) => taken.map((sample) => sample.wrong));
  demandObjectives([
    { name: 'wrong responses', measured: Math.max(...wrong), atMost: 0 },
    ...(options.connections === CONNECTIONS_WITH_OBJECTIVES ? gateways : []).flatMap((server) => [
      {
        name: `${server}: requests/s, share of bare`,
        measured: ofBare(server, 'rate'),
        atLeast: LEAST_OF_BARE[server],
      },
      { name: `${server}: p99, times bare`, measured: ofBare(server, 'p99'), atMost: MOST_P99_OF_BARE },
    ]),
  ]);
}

/** Requests of a server as fast as it responds, after a warm-up. */
export async function mostRequests(
  server: Server,
  { seconds, connections }: Options,
  fixture: Fixture,
  warmUpSeconds: number,
): Promise<Sample> {
  return await serving(server, fixture, async (url) => {
    const load = { url, connections, key: fixture.key };
    await runWrk({ ...load, seconds: warmUpSeconds });
    return await runWrk({ ...load, seconds });
  });
}
