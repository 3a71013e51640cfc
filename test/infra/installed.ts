import { parse } from 'yaml';
import { readConfig } from '../../lib/config.ts';
import type { Failure } from '../../lib/failure.ts';
import { textOf } from '../house/files.ts';

/** Environment variables of the AWS SDK and Node. */
const ofLibraries = /^(?:AWS_\w+|NODE_\w+|PATH|PGPASSWORD|TMPDIR)$/;

/** The settings that none of our programs reads, or that one would refuse. */
export function wrongSettings(environment: Readonly<Record<string, string>>): string[] {
  const known = new Set(
    [...textOf('lib/config.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!),
  );
  const unknown = Object.keys(environment).filter((name) => !known.has(name) && !ofLibraries.test(name));
  try {
    readConfig(environment);
    return unknown;
  } catch (error) {
    return [...unknown, (error as Failure).message];
  }
}

/** The fields of a service of infra/compose.yaml that the tests read. */
interface Service {
  image: string;
  environment?: Record<string, string>;
  profiles?: string[];
  healthcheck?: { test: string[] };
}

export const composeText = textOf('infra/compose.yaml');

/** The services by name, with shared fields merged in. */
export function composeServices(): Record<string, Service> {
  return (parse(composeText, { merge: true }) as { services: Record<string, Service> }).services;
}
