import pTimeout from 'p-timeout';
import { reasonOf } from '../../lib/failure.ts';

/** The shared parts that every gateway needs. */
export const dependencyNames = ['store', 'records'] as const;
export type DependencyName = (typeof dependencyNames)[number];

/** Why each of them does not answer; null for one that does. */
export type DependencyStates = Record<DependencyName, string | null>;

/** Each throws, with the reason, where its part does not answer. */
export type DependencyChecks = Record<DependencyName, () => Promise<void>>;

const ANSWER_WITHIN_MS = 2000;

/** Asks all of them now, for metrics and for people. Readiness must not depend on it. */
export async function checkDependencies(checks: DependencyChecks): Promise<DependencyStates> {
  const [store, records] = await Promise.all(dependencyNames.map((name) => stateOf(checks[name])));
  return { store: store!, records: records! };
}

async function stateOf(check: () => Promise<void>): Promise<string | null> {
  try {
    await pTimeout(check(), {
      milliseconds: ANSWER_WITHIN_MS,
      message: `no answer within ${ANSWER_WITHIN_MS} ms`,
    });
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}
