#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runVerify } from './verify-command.ts';
import { VerificationError } from './verify.ts';

const USAGE = `Usage: sightline-client verify --public-key FILE [--origin NAME] [--snapshot ID]

Reads every document of a snapshot and its proof through the API, and verifies them on this machine.

  --public-key FILE  the operator's public keys in PEM; get them from the operator, not from the API
  --origin NAME      the name of the operator's log; without it, any log that the key signs is accepted
  --snapshot ID      the snapshot (default: the current one)

SIGHTLINE_URL is the address of the gateway, SIGHTLINE_API_KEY a key. Each document takes one request of the
allowance; the command waits when that is used up.
Exit status: 0 verified, 1 not verified, 2 it could not be checked.
`;

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'public-key': { type: 'string' },
      origin: { type: 'string' },
      snapshot: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (positionals.join() !== 'verify' || values['public-key'] === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { SIGHTLINE_URL: baseUrl, SIGHTLINE_API_KEY: apiKey } = process.env;
  if (baseUrl === undefined || apiKey === undefined)
    throw new Error(`${baseUrl === undefined ? 'SIGHTLINE_URL' : 'SIGHTLINE_API_KEY'} is not set`);
  const publicKey = await readFile(values['public-key'], 'utf8');
  const { origin: logOrigin, snapshot } = values;
  const problems = await runVerify({ baseUrl, apiKey, publicKey, logOrigin, snapshot }, (line) =>
    process.stdout.write(`${line}\n`),
  );
  for (const problem of problems) process.stderr.write(`NOT VERIFIED: ${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isVerdict = error instanceof VerificationError && error.code !== 'public_key';
  process.stderr.write(`${isVerdict ? 'NOT VERIFIED' : 'Not checked'}: ${(error as Error).message}\n`);
  process.exitCode = isVerdict ? 1 : 2;
}
