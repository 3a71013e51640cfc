import { mkdir, rm, writeFile } from 'node:fs/promises';
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
  await writeNew(privateKey, privatePem, 0o600);
  try {
    await writeNew(publicKey, publicPem, 0o644);
  } catch (error) {
    await rm(privateKey);
    throw error;
  }
  return { privateKey, publicKey, fingerprint };
}

/** After an error no part of the file is left: the next attempt would be refused for it. */
async function writeNew(path: string, text: string, mode: number): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode, flush: true });
  } catch (error) {
    const isOfOthers = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (!isOfOthers) await rm(path, { force: true });
    const reason = isOfOthers ? 'it exists already' : reasonOf(error);
    throw new Failure(`${path} cannot be written: ${reason}`, { cause: error });
  }
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
