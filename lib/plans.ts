import { listOf } from './weeks/names.ts';

/** Requests per calendar minute, for each plan that includes the API. */
export const planAllowances = { agency: 60, scale: 120, enterprise: 600 } as const;

const plans = Object.entries(planAllowances);
const allowances = new Map<string, number>(plans);

/** Requests per calendar minute of a plan, upper or lower case; null if it does not include the API. */
export function allowanceOf(plan: string): number | null {
  return allowances.get(plan.toLowerCase()) ?? null;
}

/** `agency, scale and enterprise`. */
export const plansWithApi = listOf(plans.map(([plan]) => plan));

/** `60 requests on the Agency plan, 120 on Scale, 600 on Enterprise`. */
export function allowancesInWords(): string {
  return plans
    .map(([plan, requests], index) => {
      const name = `${plan[0]!.toUpperCase()}${plan.slice(1)}`;
      return index === 0 ? `${requests} requests on the ${name} plan` : `${requests} on ${name}`;
    })
    .join(', ');
}
