/** The source of a pattern for a UUID of any version, in lower case. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i');

/** True for a UUID of any version, in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
