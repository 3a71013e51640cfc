/**
 * Like `Promise.all`, but nothing is under way any more when it throws: what fails must not take the database and the
 * scratch folder from under what still uses them.
 */
export async function together<const Results extends readonly unknown[]>(promises: {
  [Index in keyof Results]: Promise<Results[Index]>;
}): Promise<{ -readonly [Index in keyof Results]: Results[Index] }> {
  await Promise.allSettled(promises);
  return (await Promise.all(promises)) as { -readonly [Index in keyof Results]: Results[Index] };
}
