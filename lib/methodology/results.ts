/** What happened to a prompt on an engine from one cycle to the next (methodology, Results). */
export const resultChanges = ['new', 'won', 'lost', 'kept', 'absent'] as const;
export type ResultChange = (typeof resultChanges)[number];

/** @param wasNamed null: there is no cycle before. */
export function changeOf(isNamed: boolean, wasNamed: boolean | null): ResultChange {
  if (wasNamed === null) return 'new';
  if (isNamed) return wasNamed ? 'kept' : 'won';
  return wasNamed ? 'lost' : 'absent';
}
