import { parse } from 'yaml';
import { textAt } from './installed.ts';

/** The fields of a service that the tests read. */
export interface Service {
  image: string;
  environment?: Record<string, string>;
  profiles?: string[];
  healthcheck?: { test: string[] };
}

export const composeText = textAt('infra/compose.yaml');

/** The services by name, with shared fields merged in. */
export function composeServices(): Record<string, Service> {
  return (parse(composeText, { merge: true }) as { services: Record<string, Service> }).services;
}
