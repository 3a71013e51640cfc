import pTimeout from 'p-timeout';
import { reasonOf } from '../../lib/failure.ts';

/** The services that all gateways share and need. */
export const dependencyNames = ['store', 'records'] as const;
export type DependencyName = (typeof dependencyNames)[number];

/** By dependency: the reason why it does not respond, or null if it does. */
export type DependencyStates = Record<DependencyName, string | null>;

/** Each throws, with the reason, if its dependency does not respond. */
export type DependencyChecks = Record<DependencyName, () => Promise<void>>;

const ANSWER_WITHIN_MS = 2000;

/** Checks all dependencies now, for metrics and for people. Readiness must not depend on the result. */
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
