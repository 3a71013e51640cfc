import { givenByWrapper } from '../../../lib/config.ts';

/** Where infra/install has put its files. */
export interface Installed {
  /** `/etc/sightline`. */
  settings: string;
  /** `/var/lib/sightline`. */
  state: string;
}

/** Null in a checkout, in an image and on Kubernetes. */
export function installedHere(): Installed | null {
  const { settings, state } = givenByWrapper();
  return settings === undefined ? null : { settings, state };
}

/**
 * A text with commands such as `npm run audit -- verify`, as they are typed here: where infra/sightline runs, that is
 * `sightline audit verify`.
 */
export function asTypedHere(text: string, { command } = givenByWrapper()): string {
  if (command === undefined) return text;
  return text.replaceAll(/\bnpm run (job|audit|records|gateway|doctor)\b(?: --(?= ))?/g, `${command} $1`);
}
