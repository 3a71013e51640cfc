import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '../../../../lib/hash.ts';
import { hashFile } from '../../../../lib/store/directory/hash-file.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const CHUNK = 1 << 20;

test.each([0, 1, 5000, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 7])(
  'a file of %i bytes has the hash of its bytes',
  async (size) => {
    const path = join(await temporaryFolder(), 'file');
    const bytes = randomBytes(size);
    await writeFile(path, bytes);
    expect(hashFile(path)).toEqual({ bytes: size, sha256: sha256(bytes) });
  },
);

test('a missing file has no hash, and a folder is an error', async () => {
  const folder = await temporaryFolder();
  expect(hashFile(join(folder, 'none'))).toBeNull();
  expect(() => hashFile(folder)).toThrow(/EISDIR/);
});
