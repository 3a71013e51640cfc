import type { Connection } from '../tools/load/connection.ts';
import { planFrom } from '../tools/load/plan.ts';
import type { Plan } from '../tools/load/plan.ts';
import { sendPart } from '../tools/load/send.ts';
import type { LoadClock, Part } from '../tools/load/send.ts';
import type { Tally } from '../tools/load/tally.ts';
import type { Answer, Ask, LoadOptions } from '../tools/load/types.ts';

export const usualOptions: LoadOptions = {
  url: 'http://127.0.0.1:8080',
  key: ['vis_1'],
  rate: 100,
  duration: 5,
  connections: 64,
  timeLimit: 10,
  conditional: 0,
  wrongKeys: 0,
  unknownBrands: 0,
  history: 0,
  limited: 0,
  sample: 0,
  attained: 0.99,
  lag: 10,
  errors: 0,
};

/** What a gateway of these tests does with a request: responds after some milliseconds, fails, or hangs. */
export type Reaction = { status: number; ms: number } | { error: string; ms: number } | 'hangs';

/** A load tester with a clock that passes only when nothing else is to be done. */
export interface Stage {
  clock: LoadClock & { pass(ms: number): void };
  /** Sends a load to a gateway that reacts like this to the n-th request (from 0). */
  send(options: Partial<LoadOptions>, react: (n: number) => Reaction, part?: Part): Promise<Tally>;
  /** Connections that were opened. */
  opened(): number;
}

/** @param costOfRequestMs what drawing a request costs the load tester */
export function setStage(costOfRequestMs = 0): Stage {
  let now = 0;
  let opened = 0;
  const timers: { at: number; callback: () => void }[] = [];
  const clock = {
    now: () => now,
    after: (ms: number, callback: () => void) => void timers.push({ at: now + ms, callback }),
    pass: (ms: number) => void (now += ms),
  };
  const drawn = planFrom(
    [{ key: 'vis_1', brandIds: ['b1'], snapshotIds: [], isLimited: false }],
    usualOptions,
  );
  const plan: Plan = {
    ...drawn,
    next: () => {
      clock.pass(costOfRequestMs);
      return drawn.next();
    },
  };
  return {
    clock,
    opened: () => opened,
    async send(options, react, part = { index: 0, of: 1 }) {
      let requests = 0;
      const open = () => {
        opened += 1;
        return stagedConnection(clock, () => react(requests++));
      };
      const sending = { options: { ...usualOptions, ...options }, part, plan, check, open, clock };
      const ended = sendPart({ ...sending, allSent: () => undefined });
      while (timers.length > 0) {
        const next = timers.reduce((first, timer) => (timer.at < first.at ? timer : first));
        timers.splice(timers.indexOf(next), 1);
        now = Math.max(now, next.at);
        next.callback();
      }
      return await ended;
    },
  };
}

function check(ask: Ask, { status }: Answer): string | null {
  return ask.expected.includes(status) || status === 429 ? null : `status ${status}`;
}

function stagedConnection(clock: LoadClock, react: () => Reaction): Connection {
  let isClosed = false;
  let finish: ((result: Answer | Error) => void) | undefined;
  return {
    get isClosed() {
      return isClosed;
    },
    send(_ask, _wantsBody, done) {
      let isDone = false;
      finish = (result) => {
        if (!isDone) done(((isDone = true), result));
      };
      const own = finish;
      const reaction = react();
      if (reaction === 'hangs') return;
      clock.after(reaction.ms, () => {
        if ('error' in reaction) {
          isClosed = true;
          own(new Error(reaction.error));
        } else own({ status: reaction.status, headers: {}, body: null });
      });
    },
    close(error) {
      isClosed = true;
      finish?.(error);
    },
  };
}
