import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { printTable } from '../../../../lib/cli.ts';
import { Failure } from '../../../../lib/failure.ts';
import { openConnection } from '../../load/connection.ts';
import { addTo, percentile } from '../../load/histogram.ts';
import type { Histogram } from '../../load/histogram.ts';
import { realClock, sendPart } from '../../load/send.ts';
import { withFixture } from './command.ts';
import type { Fixture } from './fixture.ts';
import { contenders, serving } from './servers.ts';
import { runWrk } from './wrk.ts';

interface Options {
  seconds: number;
  rounds: number;
  connections: number;
  json: boolean;
}

interface Waits {
  /** From when each request was due. */
  histogram: Histogram;
  wrong: number;
}

/** Until V8 has compiled both programs; without it, 10 ms more were measured at p99. */
const WARM_UP_SECONDS = 5;
/** The most that p99 may be, as a multiple of the bare route's at the same rate. */
const MOST_P99_OF_BARE = 3;

export function arrivalsBench(): Command {
  return new Command('gateway-arrivals')
    .description(
      'Latency at a constant rate, half of the maximum rate of the gateway, compared with a bare Fastify route at the same rate.',
    )
    .option('--seconds <n>', 'length of one measurement', wholeNumber(1), 5)
    .option('--rounds <n>', 'measurements of each, added up', wholeNumber(1), 3)
    .option('--connections <n>', 'connections of the load generator', wholeNumber(1), 64)
    .option('--json', 'print JSON', false)
    .action(async (options: Options) => await withFixture((fixture) => run(options, fixture)));
}

async function run(options: Options, fixture: Fixture): Promise<void> {
  const rows = [];
  for (const name of ['sqlite', 'postgres']) rows.push(await compare(name, options, fixture));
  if (options.json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else printTable(rows);
  if (rows.some(({ wrong }) => wrong > 0)) throw new Failure('there were wrong answers');
  const missed = rows.filter(({ 'of bare': ratio }) => Number(ratio) > MOST_P99_OF_BARE);
  if (missed.length > 0)
    throw new Failure(
      missed
        .map(
          (row) => `${row.name}: p99 is ${row['of bare']} times that of bare, objective ${MOST_P99_OF_BARE}`,
        )
        .join('; '),
    );
}

async function compare(name: string, options: Options, fixture: Fixture) {
  const rate = await halfOfMost(name, options, fixture);
  const waits: Record<string, Waits> = {};
  for (let round = 1; round <= options.rounds; round++) {
    for (const contender of ['bare', name]) {
      const { histogram, wrong } = await waitsAt(rate, contender, options, fixture);
      const p99 = percentile(histogram, 0.99).toFixed(2);
      process.stderr.write(`round ${round}: ${contender} at ${rate}/s p99 ${p99} ms\n`);
      const all = (waits[contender] ??= { histogram: new Map(), wrong: 0 });
      addTo(all.histogram, histogram);
      all.wrong += wrong;
    }
  }
  const [own, bare] = [waits[name]!, waits['bare']!];
  const ms = ({ histogram }: Waits, share: number) => percentile(histogram, share).toFixed(2);
  return {
    name,
    'requests/s': rate,
    'p50 ms': ms(own, 0.5),
    'p99 ms': ms(own, 0.99),
    'p99.9 ms': ms(own, 0.999),
    'max ms': ms(own, 1),
    'p99 ms of bare': ms(bare, 0.99),
    'p99.9 ms of bare': ms(bare, 0.999),
    'of bare': (Number(ms(own, 0.99)) / Number(ms(bare, 0.99))).toFixed(1),
    wrong: own.wrong + bare.wrong,
  };
}

async function halfOfMost(
  name: string,
  { connections, seconds }: Options,
  fixture: Fixture,
): Promise<number> {
  const { requests, seconds: took } = await servingBy(name, fixture, async (url) => {
    const load = { url, connections, key: fixture.key };
    await runWrk({ ...load, seconds: WARM_UP_SECONDS });
    return await runWrk({ ...load, seconds });
  });
  return Math.round(requests / took / 2);
}

async function waitsAt(
  rate: number,
  name: string,
  { connections, seconds }: Options,
  fixture: Fixture,
): Promise<Waits> {
  const { path, key } = fixture;
  const ask = {
    operation: 'listPrompts',
    answer: 'prompts',
    path,
    headers: { 'x-api-key': key },
    expected: [200],
    isSample: false,
  } as const;
  return await servingBy(name, fixture, async (url) => {
    const send = (duration: number) =>
      sendPart({
        options: { rate, duration, connections, timeLimit: 10 },
        part: { index: 0, of: 1 },
        plan: { next: () => ask, learn: () => undefined },
        check: (_, { status }) => (status === 200 ? null : `status ${status}`),
        open: () => openConnection(new URL('/', url)),
        clock: realClock,
        allSent: () => undefined,
      });
    await send(WARM_UP_SECONDS);
    const { operations, wrong } = await send(seconds);
    return { histogram: operations.get(ask.operation) ?? new Map<number, number>(), wrong };
  });
}

async function servingBy<T>(name: string, fixture: Fixture, work: (url: string) => Promise<T>): Promise<T> {
  const contender = contenders.find((each) => each.name === name)!;
  return (await serving(contender, fixture, work))!;
}
