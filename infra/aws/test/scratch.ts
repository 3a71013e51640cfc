import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Collects the folders of synthesised applications in one, which is removed at the end. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-aws-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
