/** For the tests; the page itself is plain JavaScript. */
export function samplesOf(
  path: string,
  address: string,
  ids?: Record<string, string>,
): { label: string; source: string }[];
