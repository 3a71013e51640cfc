const fields = new Set(['promptsAnswered', 'promptsNamed', 'priorScores', 'answers', 'answersNaming']);

/** A copy without the counts that documents did not have at first. */
export function withoutEvidence<T>(document: T): T {
  const copy = structuredClone(document);
  remove(copy);
  return copy;
}

function remove(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) if (fields.has(name)) Reflect.deleteProperty(value, name);
  for (const each of Object.values(value)) remove(each);
}
