import { answerChecker } from './check.ts';
import { openConnection } from './connection.ts';
import { planFrom } from './plan.ts';
import { realClock, sendPart } from './send.ts';
import type { Assignment, Sent } from './senders.ts';

/** A process that sends its part of a load. It gets an {@link Assignment}, says that it is ready, waits for a word to begin, and answers with {@link Sent}. */
process.once('message', (assignment: Assignment) => {
  process.once('message', () => void send(assignment));
  process.send!('ready');
});

async function send({ options, targets, part }: Assignment): Promise<void> {
  const url = new URL(options.url);
  const cpuBefore = process.cpuUsage();
  const before = performance.eventLoopUtilization();
  let utilization = 0;
  const tally = await sendPart({
    options,
    part,
    plan: planFrom(targets, options),
    check: answerChecker(),
    open: () => openConnection(url),
    clock: realClock,
    allSent: () => ({ utilization } = performance.eventLoopUtilization(before)),
  });
  const { user, system } = process.cpuUsage(cpuBefore);
  const sent: Sent = { tally, utilization, cpuSeconds: (user + system) / 1e6 };
  process.send!(sent, () => process.exit());
}
