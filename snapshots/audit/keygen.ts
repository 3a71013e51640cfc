import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { generateKeyPair } from '../signing.ts';
import { printJson } from './options.ts';

export interface MadeKeys {
  privateKey: string;
  publicKey: string;
  fingerprint: string;
}

/**
 * Writes an Ed25519 key pair to `PREFIX.private.pem` (mode 0600) and `PREFIX.public.pem`.
 * @throws Failure if either file exists: an overwritten key is lost. Then neither is written: each must match the other.
 */
export async function makeKeys(prefix: string): Promise<MadeKeys> {
  const privateKey = `${prefix}.private.pem`;
  const publicKey = `${prefix}.public.pem`;
  await mkdir(dirname(privateKey), { recursive: true });
  const { privatePem, publicPem, fingerprint } = generateKeyPair();
  const files = [
    { path: privateKey, text: privatePem, mode: 0o600 },
    { path: publicKey, text: publicPem, mode: 0o644 },
  ];
  const made: string[] = [];
  for (const { path, text, mode } of files)
    try {
      await (await open(path, 'wx', mode)).close();
      made.push(path);
      await writeFile(path, text, { flush: true });
    } catch (error) {
      for (const each of made) await rm(each);
      const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
      const reason = isThere ? 'it exists already' : reasonOf(error);
      throw new Failure(`${path} cannot be written: ${reason}`, { cause: error });
    }
  return { privateKey, publicKey, fingerprint };
}

export function keygenCommand(): Command {
  return new Command('keygen')
    .description(
      'make a key pair: the job signs with the private key, gateways and auditors verify with the public one',
    )
    .requiredOption(
      '--out <prefix>',
      'write PREFIX.private.pem and PREFIX.public.pem; existing files are never replaced',
    )
    .option('--json', 'print the result as JSON')
    .action(async ({ out, json }: { out: string; json?: true }) => {
      const keys = await makeKeys(out);
      if (json) return printJson(keys);
      process.stdout.write(
        `${keys.privateKey}: the private key, for SIGNING_KEY_FILE of the job; keep one copy of it offline\n` +
          `${keys.publicKey}: the public key, for PUBLIC_KEY_FILE of gateways, and for auditors\n` +
          `fingerprint ${keys.fingerprint}\n`,
      );
    });
}
