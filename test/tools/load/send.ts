import { Failure, reasonOf } from '../../../lib/failure.ts';
import type { Connection } from './connection.ts';
import { addTo, record } from './histogram.ts';
import type { Plan } from './plan.ts';
import { countResponse, Tally } from './tally.ts';
import type { Ask, Answer, LoadOptions } from './types.ts';

/** Time as the load tester sees it, in milliseconds from any instant. */
interface LoadClock {
  now(): number;
  /** Calls back after at least this many milliseconds. */
  after(ms: number, callback: () => void): void;
}

export const realClock: LoadClock = {
  now: () => performance.now(),
  after: (ms, callback) => void setTimeout(callback, ms),
};

/** Which of the requests of a load are sent: every `of`-th, beginning with `index`. */
export interface Part {
  index: number;
  of: number;
}

interface Sending {
  options: Pick<LoadOptions, 'rate' | 'duration' | 'connections' | 'timeLimit'>;
  part: Part;
  plan: Plan;
  check: (ask: Ask, answer: Answer) => string | null;
  open: () => Connection;
  clock: LoadClock;
}

/** How often due requests are looked for. */
const TICK_MS = 1;

/**
 * Sends a part of the requests of a load, each at its due time, without waiting for earlier responses. Latencies count
 * from the due times, so that a stalled gateway delays none of them unseen. Resolves when each request has a response
 * or has reached the time limit.
 */
export async function sendPart(sending: Sending): Promise<Tally> {
  const loop = new OpenLoop(sending);
  await new Promise<void>((resolve) => {
    const tick = () => {
      loop.sendDue();
      loop.endOverdue();
      if (loop.isDone()) resolve();
      else sending.clock.after(TICK_MS, tick);
    };
    tick();
  });
  return loop.end();
}

class OpenLoop {
  readonly #sending: Sending;
  readonly #tally = new Tally();
  readonly #cpuBefore = process.cpuUsage();
  readonly #loopBefore = performance.eventLoopUtilization();
  readonly #total: number;
  readonly #interval: number;
  readonly #connections: number;
  readonly #limitMs: number;
  readonly #began: number;
  /** Of the requests that were due, those that were sent or given up; in the order of their due times. */
  #taken = 0;
  readonly #idle: Connection[] = [];
  /** When the request under way on a connection was due; the oldest comes first. */
  readonly #busy = new Map<Connection, number>();

  constructor(sending: Sending) {
    const { rate, duration, connections, timeLimit } = sending.options;
    const { index, of } = sending.part;
    const partOf = (all: number) => Math.floor((all + of - 1 - index) / of);
    this.#sending = sending;
    this.#total = partOf(Math.round(rate * duration));
    this.#interval = (1000 / rate) * of;
    this.#connections = partOf(connections);
    this.#limitMs = timeLimit * 1000;
    this.#began = sending.clock.now() + (1000 / rate) * index;
  }

  isDone(): boolean {
    return this.#taken === this.#total && this.#busy.size === 0;
  }

  end(): Tally {
    for (const connection of this.#idle) connection.close(new Failure('closed'));
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    this.#tally.cpuSeconds = (user + system) / 1e6;
    return this.#tally;
  }

  sendDue(): void {
    while (this.#tally.due < this.#total) {
      const late = this.#now() - this.#dueOf(this.#tally.due);
      if (late < 0) break;
      record(this.#tally.lag, late);
      this.#tally.due += 1;
      this.#sendWaiting();
      if (this.#taken < this.#tally.due) this.#tally.waited += 1;
    }
  }

  /** Ends the requests that reached the time limit, whether they were sent or not. */
  endOverdue(): void {
    const before = this.#now() - this.#limitMs;
    const limit = `within ${this.#limitMs / 1000} s`;
    while (this.#taken < this.#tally.due && this.#dueOf(this.#taken) <= before) {
      this.#countWrong(`not sent ${limit}: the gateway had not responded on any connection`);
      this.#take();
    }
    for (const [connection, due] of this.#busy) {
      if (due > before) break;
      connection.close(new Failure(`no response ${limit}`));
    }
  }

  #now(): number {
    return this.#sending.clock.now();
  }

  #dueOf(number: number): number {
    return this.#began + number * this.#interval;
  }

  #sendWaiting(): void {
    while (this.#taken < this.#tally.due && this.#busy.size < this.#connections) {
      const idle = this.#idle.pop();
      const connection = idle === undefined || idle.isClosed ? this.#sending.open() : idle;
      this.#send(connection, this.#dueOf(this.#taken));
      this.#take();
    }
  }

  #take(): void {
    this.#taken += 1;
    this.#tally.sendingMs = this.#now() - this.#began + this.#interval;
    if (this.#taken < this.#total) return;
    this.#tally.utilization = performance.eventLoopUtilization(this.#loopBefore).utilization;
  }

  #send(connection: Connection, due: number): void {
    const ask = this.#sending.plan.next();
    this.#busy.set(connection, due);
    this.#tally.sent += 1;
    connection.send(ask, ask.isSample, (result) => {
      this.#busy.delete(connection);
      this.#count(ask, due, result);
      if (!connection.isClosed) this.#idle.push(connection);
      this.#sendWaiting();
    });
  }

  #count(ask: Ask, due: number, result: Answer | Error): void {
    if (result instanceof Error) return this.#countWrong(reasonOf(result));
    const ms = this.#now() - due;
    const { operation } = ask;
    countResponse(this.#tally, { due: due - this.#began, ms, operation, status: result.status });
    this.#sending.plan.learn(ask, result);
    const complaint = this.#sending.check(ask, result);
    if (complaint !== null) this.#countWrong(complaint);
  }

  /** Counts a wrong response, or that there was none. */
  #countWrong(complaint: string): void {
    addTo(this.#tally.complaints, [[complaint, 1]]);
  }
}
