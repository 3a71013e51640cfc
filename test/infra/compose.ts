import { parse } from 'yaml';
import { textAt } from './installed.ts';

/** The fields of a service that infra/compose.yaml uses. */
export interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  network_mode?: string;
  ports?: string[];
  profiles?: string[];
  volumes?: string[];
  tmpfs?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

export const composeText = textAt('infra/compose.yaml');

const compose = parse(composeText, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};

/** The services by name, with shared fields merged in. */
export function composeServices(): Record<string, Service> {
  return compose.services;
}

export const composeVolumes: readonly string[] = Object.keys(compose.volumes);
