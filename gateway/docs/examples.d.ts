/** For the tests; the page itself is plain JavaScript. */
export function withExamples(description: unknown, origin: string): unknown;
