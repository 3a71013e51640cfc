import { Command } from 'commander';
import { systemClock } from '../../../lib/clock.ts';
import type { StoreLocation } from '../../../lib/config.ts';
import { readSigner } from '../../signing.ts';
import { onStore, publicKeyOption, storeOption, trustOf } from '../../audit/options.ts';
import { cosign } from '../notes/checkpoint.ts';
import { formatSignature } from '../notes/note.ts';
import { openState } from '../../verify/state.ts';
import type { StateLocation } from '../../verify/state.ts';
import { witnessOnce } from './witness.ts';

interface Options {
  state: string;
  store: StoreLocation;
  publicKey?: string[];
  key?: string;
  name?: string;
}

export function witnessCommand(): Command {
  return new Command('witness')
    .description(
      'act as a witness of the log: check that it only grew since your last run, and print a cosignature',
    )
    .requiredOption('--state <file>', 'the state of this witness; created by the first run')
    .addOption(storeOption())
    .addOption(publicKeyOption())
    .option(
      '--key <file>',
      "the witness's own private key (PEM, Ed25519); without it, no cosignature is printed",
    )
    .option('--name <name>', "the witness's name, such as witness.example.com")
    .addHelpText('after', HELP)
    .action(async (options: Options, command: Command) => {
      if ((options.key === undefined) !== (options.name === undefined))
        command.error('error: --key and --name belong together');
      const trust = await trustOf(options);
      if (trust === null) command.error("error: --public-key is needed: the log's public key");
      const { state, key, name } = options;
      const signer = key === undefined ? null : await readSigner(key, '--key');
      const { checkpoint, sizeBefore } = await withState(
        state,
        async (location) => await onStore(options, (store) => witnessOnce(store, location, trust)),
      );
      const since = sizeBefore === null ? 'first look' : `${checkpoint.size - sizeBefore} more than before`;
      process.stderr.write(`${checkpoint.origin}: ${checkpoint.size} entries, ${since}\n`);
      if (signer === null) return;
      const line = cosign(checkpoint.note.text, name!, signer, systemClock.now());
      process.stdout.write(formatSignature(line));
    });
}

const HELP = `
If the log was rewritten or rolled back, or is not signed, the exit status is 1 and the state does not change. Give the
printed line to the verifier: it says that you saw this head at this time, and no head that contradicts it.`;

async function withState<T>(state: string, work: (location: StateLocation) => Promise<T>): Promise<T> {
  const location = openState(state);
  try {
    return await work(location);
  } finally {
    location.store.close();
  }
}
