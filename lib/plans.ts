/**
 * Requests per calendar minute, for each plan that includes the API. The gateway reads them from its records: to change
 * one, add migrations in gateway/records. A test compares them with this table.
 */
export const planAllowances = { agency: 60, scale: 120, enterprise: 600 } as const;

const plans = Object.entries(planAllowances);

/** `agency, scale and enterprise`. */
export const plansWithApi = new Intl.ListFormat('en-GB').format(plans.map(([plan]) => plan));

/** `60 requests on the Agency plan, 120 on Scale, 600 on Enterprise`. */
export function allowancesInWords(): string {
  return plans
    .map(([plan, requests], index) => {
      const name = `${plan[0]!.toUpperCase()}${plan.slice(1)}`;
      return index === 0 ? `${requests} requests on the ${name} plan` : `${requests} on ${name}`;
    })
    .join(', ');
}
