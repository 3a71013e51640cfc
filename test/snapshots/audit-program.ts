import { runForBytes } from '../support/command-line.ts';

/** Runs `npm run audit` in a folder with only these settings. */
export async function auditIn(folder: string, settings: Record<string, string>, ...options: string[]) {
  const { status, stdout, stderr } = await runForBytes('audit', options, { folder, settings });
  const output = stdout.toString();
  const json = () => JSON.parse(output) as Record<string, unknown>;
  return { status, bytes: stdout, output, complaint: stderr.toString(), json };
}
