import { checkAnswer } from './check.ts';
import { openConnection } from './connection.ts';
import { planFrom } from './plan.ts';
import { realClock, sendPart } from './send.ts';
import type { Assignment } from './senders.ts';

/** A process that sends its part of a load: it reports that it is ready, gets an {@link Assignment}, and returns its tally. */
process.once('message', (assignment: Assignment) => void send(assignment));
process.send!('ready');

async function send({ options, targets, part }: Assignment): Promise<void> {
  const url = new URL(options.url);
  const tally = await sendPart({
    options,
    part,
    plan: planFrom(targets, options),
    check: checkAnswer,
    open: () => openConnection(url),
    clock: realClock,
  });
  process.send!(tally, () => process.exit());
}
