import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runVerify } from './verify-command.ts';
import { VerificationError } from './verify.ts';
import { weekAsMarkdown } from './week-command.ts';

const USAGE = `Usage: sightline-client week [--snapshot ID]
       sightline-client verify --public-key FILE [--origin NAME] [--snapshot ID]

week prints the week of all brands as Markdown, for a mail or a chat. It takes one request.

verify reads every document of a snapshot and its proof through the API, and verifies them on this machine.

  --public-key FILE  the operator's public keys in PEM; get them from the operator, not from the API
  --origin NAME      the name of the operator's log; without it, any log that the key signs is accepted
  --snapshot ID      the snapshot (default: the current one)

SIGHTLINE_URL is the address of the gateway, SIGHTLINE_API_KEY a key. Each document takes one request of the
allowance; the command waits when that is used up.
Exit status of verify: 0 verified, 1 not verified, 2 it could not be checked. Of week: 0, or 2 if it could not be read.
`;

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs the command line `sightline-client` with the words after its name. Returns the exit status. */
export async function main(args: readonly string[], environment: Environment): Promise<number> {
  try {
    return await run(args, environment);
  } catch (error) {
    const failed = args[0] === 'week' ? 'Not read' : 'Not checked';
    const isVerdict = error instanceof VerificationError && error.code !== 'public_key';
    process.stderr.write(`${isVerdict ? 'NOT VERIFIED' : failed}: ${(error as Error).message}\n`);
    return isVerdict ? 1 : 2;
  }
}

async function run(args: readonly string[], environment: Environment): Promise<number> {
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
  const command = positionals.join();
  if (command !== 'week' && (command !== 'verify' || values['public-key'] === undefined)) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { SIGHTLINE_URL: baseUrl, SIGHTLINE_API_KEY: apiKey } = environment;
  if (baseUrl === undefined || apiKey === undefined)
    throw new Error(`${baseUrl === undefined ? 'SIGHTLINE_URL' : 'SIGHTLINE_API_KEY'} is not set`);
  const { 'public-key': keyFile, origin: logOrigin, snapshot } = values;
  if (keyFile === undefined || command === 'week') {
    process.stdout.write(await weekAsMarkdown({ baseUrl, apiKey, snapshot }));
    return 0;
  }
  const publicKey = await readFile(keyFile, 'utf8');
  const problems = await runVerify({ baseUrl, apiKey, publicKey, logOrigin, snapshot }, (line) =>
    process.stdout.write(`${line}\n`),
  );
  for (const problem of problems) process.stderr.write(`NOT VERIFIED: ${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}
