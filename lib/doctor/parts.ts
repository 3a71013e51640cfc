import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { orNull } from '../failure.ts';
import { failure, findingSchema } from './finding.ts';
import type { Finding } from './finding.ts';

/** The parts of an installation, and the program that examines each. Their layers do not import each other. */
export const parts = {
  records: 'gateway/doctor/main.ts',
  store: 'snapshots/doctor/main.ts',
  lake: 'jobs/doctor/main.ts',
} as const;

export type Part = keyof typeof parts;

/** Runs the program of a part and returns its findings; a program that fails is a finding too. */
export async function askProgram(part: Part, args: readonly string[]): Promise<Finding[]> {
  const program = fileURLToPath(new URL(`../../${parts[part]}`, import.meta.url));
  const child = spawn(process.execPath, ['--disable-sigusr1', program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const findings = orNull(() => z.array(findingSchema).parse(JSON.parse(printed)));
  if (findings !== null) return findings;
  const [reason] = complaint.trim().split('\n');
  return [failure(part, `${parts[part]} broke off: ${reason}`, 'this is a defect: please report it')];
}

/** A part's program: prints its findings, for {@link askProgram}. */
export async function printFindings(look: (args: readonly string[]) => Promise<Finding[]>): Promise<void> {
  process.stdout.write(JSON.stringify(await look(process.argv.slice(2))));
}
