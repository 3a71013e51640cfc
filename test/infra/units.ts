import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../docs/pages.ts';
import { textAt } from './installed.ts';

/** The unit files of infra/systemd by name, and those that are services. */
export const units = readdirSync(join(root, 'infra/systemd')).filter((name) =>
  /^sightline-.*\.\w+$(?<!\.d)/.test(name),
);
export const services = units.filter((name) => /^sightline-[a-z]+\.service$/.test(name));
/** Those that run as a user of Sightline; the doctor runs as root. */
export const ofUsers = services.filter((name) => name !== 'sightline-doctor.service');
/** Every shell script that is installed. */
export const scriptPaths = [
  ...['alert', 'backup-records', 'copy-data', 'ingest-incoming', 'remove-drops'].map(
    (name) => `infra/systemd/${name}`,
  ),
  ...['install', 'sightline', 'write-unit-metrics'].map((name) => `infra/${name}`),
];
export const unitText = (name: string) => textAt(`infra/systemd/${name}`);
export const valuesOf = (name: string, key: string) =>
  [...unitText(name).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!);
