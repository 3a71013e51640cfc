/** The fields that documents did not have at first. */
export const added: ReadonlySet<string> = new Set([
  'promptsAnswered',
  'promptsNamed',
  'priorScores',
  'answers',
  'answersNaming',
  'evidence',
  'events',
  'samePrompts',
  'models',
  'modelsChanged',
  'unbranded',
  'behindLeader',
  'leadersByPrompt',
  'namesBrand',
  'presencePct',
  'presenceLowPct',
  'presenceHighPct',
  'tags',
]);

/** A copy without these fields. */
export function withoutEvidence<T>(document: T): T {
  const copy = structuredClone(document);
  remove(copy);
  return copy;
}

function remove(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) if (added.has(name)) Reflect.deleteProperty(value, name);
  for (const each of Object.values(value)) remove(each);
}
