import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every application that is synthesised leaves a folder: all of them in one, which goes at the end. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-aws-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
