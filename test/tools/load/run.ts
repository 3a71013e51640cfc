import { Agent, request as httpRequest } from 'node:http';
import { Agent as SecureAgent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { reasonOf } from '../../../lib/failure.ts';
import { checkAnswer } from './check.ts';
import { planner } from './plan.ts';
import { summarize } from './report.ts';
import type { Report } from './report.ts';
import type { Answer, Ask, LoadOptions, Outcome } from './types.ts';

export async function runLoad(options: LoadOptions): Promise<Report> {
  const isSecure = options.url.startsWith('https:');
  const agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: options.connections });
  const get = (ask: Pick<Ask, 'path' | 'headers'>, wantsBody: boolean) =>
    new Promise<Answer>((resolve, reject) => {
      const outgoing = (isSecure ? httpsRequest : httpRequest)(`${options.url}${ask.path}`, {
        agent,
        headers: ask.headers,
      });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => readAnswer(incoming, wantsBody, resolve, reject));
      outgoing.end();
    });
  try {
    const plan = await planner(options, (ask) => get(ask, true));
    return summarize(await keepRate(options, plan.next, plan.learn, get), options);
  } finally {
    agent.destroy();
  }
}

function readAnswer(
  incoming: IncomingMessage,
  wantsBody: boolean,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => wantsBody && chunks.push(chunk));
  incoming.on('error', reject);
  incoming.on('end', () =>
    resolve({
      status: incoming.statusCode!,
      headers: incoming.headers,
      body: wantsBody ? Buffer.concat(chunks).toString('utf8') : null,
    }),
  );
}

/** Sends each request at its due time, without waiting for earlier responses. */
async function keepRate(
  { rate, duration }: LoadOptions,
  next: () => Ask,
  learn: (ask: Ask, answer: Answer) => void,
  get: (ask: Ask, wantsBody: boolean) => Promise<Answer>,
): Promise<Outcome[]> {
  const total = Math.round(rate * duration);
  const outcomes: Promise<Outcome>[] = [];
  const began = performance.now();
  const send = async (ask: Ask, due: number): Promise<Outcome> => {
    try {
      const answer = await get(ask, ask.isSample);
      learn(ask, answer);
      const ms = performance.now() - due;
      return { operation: ask.operation, status: answer.status, ms, complaint: checkAnswer(ask, answer) };
    } catch (error) {
      return { operation: ask.operation, status: 0, ms: performance.now() - due, complaint: reasonOf(error) };
    }
  };
  await new Promise<void>((resolve) => {
    const sendDue = () => {
      const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * rate) + 1);
      while (outcomes.length < due) {
        outcomes.push(send(next(), began + (outcomes.length / rate) * 1000));
      }
      if (outcomes.length >= total) resolve();
      else setTimeout(sendDue, 1);
    };
    sendDue();
  });
  return await Promise.all(outcomes);
}
