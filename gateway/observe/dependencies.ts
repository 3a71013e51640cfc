import pTimeout from 'p-timeout';
import { reasonOf } from '../../lib/failure.ts';
import type { AdmissionObserver } from '../admission/admission.ts';

/** The services that all gateways share and need. */
export const dependencyNames = ['store', 'records'] as const;
export type DependencyName = (typeof dependencyNames)[number];

/** By dependency: the reason why it does not respond, or null if it does. */
export type DependencyStates = Record<DependencyName, string | null>;

/** Each throws, with the reason, if its dependency does not respond, or its responses cannot be accepted. */
export type DependencyChecks = Record<DependencyName, () => Promise<void>>;

const ANSWER_WITHIN_MS = 2000;

/** A database may answer a ping while it cannot count requests, such as SQLite on a full disk. */
const MOST_FAILURES = 10;

/** Watches admissions. `demandAdmissions` throws, with the newest reason, if the last ten have failed. */
export function admissionHealth(): { observer: AdmissionObserver; demandAdmissions: () => void } {
  let failures = 0;
  let newest: unknown;
  return {
    observer: {
      batchAnswered: () => void (failures = 0),
      admissionFailed(error) {
        failures += 1;
        newest = error;
      },
    },
    demandAdmissions: () => {
      if (failures < MOST_FAILURES) return;
      throw new Error(`the last ${failures} admissions have failed: ${reasonOf(newest)}`);
    },
  };
}

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
