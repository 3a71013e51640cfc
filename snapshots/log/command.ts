import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { printTable, progressBar } from '../../lib/cli.ts';
import { readConfig } from '../../lib/config.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { configuredSigner } from '../signing.ts';
import type { Signer, Trust } from '../signing.ts';
import { openStore } from '../../lib/store/open.ts';
import type { StoreLocation } from '../../lib/config.ts';
import {
  lakeOption,
  onStore,
  printJson,
  publicKeyOption,
  storeOption,
  trustOf,
  withAuditOptions,
} from '../audit/options.ts';
import type { AuditOptions } from '../audit/options.ts';
import { ID_HELP, chooseWorkspace, resolveSnapshot } from '../audit/select.ts';
import { WORKSPACES } from '../layout.ts';
import { adoptLog } from './adopt.ts';
import { appendToLog } from './append.ts';
import type { Appended } from './append.ts';
import { publishedHistories } from './histories.ts';
import { ED25519, formatVerifierKey, parseVerifierKey, verifierKey } from './notes/note.ts';
import { proveSnapshot } from './prove.ts';
import { readCheckpoint } from './read.ts';
import { stampCheckpoints } from './timestamps.ts';
import type { StampOutcome } from './timestamps.ts';
import { collectCosignatures } from './witness/cosignatures.ts';
import type { Witness, WitnessOutcome } from './witness/cosignatures.ts';

export function logCommand(): Command {
  return new Command('log')
    .description(
      'the transparency log: every published snapshot in a Merkle tree that third parties can check',
    )
    .addCommand(appendCommand())
    .addCommand(proveCommand())
    .addCommand(adoptCommand())
    .addCommand(keyCommand());
}

interface AppendCommandOptions {
  store: StoreLocation;
  lake: StoreLocation;
  publicKey?: string[];
  witnessKey?: string[];
  json?: true;
}

function appendCommand(): Command {
  return new Command('append')
    .description(
      'append every published snapshot that the log does not contain; get cosignatures and a time stamp',
    )
    .addOption(storeOption())
    .addOption(lakeOption())
    .addOption(publicKeyOption())
    .option(
      '--witness-key <vkey...>',
      'the key of each witness in WITNESS_URLS, in the same order; other cosignatures are dropped',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', APPEND_HELP)
    .action(async (options: AppendCommandOptions) => {
      const { WITNESS_URLS, TIMESTAMP_URL } = readConfig();
      const witnesses = witnessesOf(WITNESS_URLS ?? [], options.witnessKey ?? []);
      await onStore(options, async (store) => {
        const appended = await append(store, options);
        const cosigned = await collectCosignatures(store, witnesses);
        const stamped = TIMESTAMP_URL === undefined ? [] : await stampCheckpoints(store, TIMESTAMP_URL);
        if (options.json) printJson({ ...appended, witnesses: cosigned, timestamps: stamped });
        else printAppended(appended, cosigned, stamped);
        if (appended.refused.length > 0) process.exitCode = 1;
      });
    });
}

const APPEND_HELP = `
Signs with SIGNING_KEY_FILE (or SIGNING_KEY) under the name LOG_ORIGIN. Run it after each week and every night. If a
witness (WITNESS_URLS) or a time-stamp authority (TIMESTAMP_URL) fails, the failure is reported and retried at the next
append. The exit status is 1 if the history of a workspace does not match the log, or is not signed with a public key of
--public-key (default: that of the signing key); the other workspaces are appended.`;

async function append(store: Parameters<typeof appendToLog>[0]['store'], options: AppendCommandOptions) {
  const { signer, origin } = await logIdentity();
  // Without public keys, its own: the log must not confirm a history that someone else continued.
  const trust = (await trustOf(options)) ?? signer.trust;
  const lake = openStore(options.lake);
  using bar = progressBar('log, workspaces');
  bar.start((await store.folders(WORKSPACES)).length);
  try {
    return await appendToLog({
      store,
      lake,
      origin,
      signer,
      trust,
      histories: () => publishedHistories(store, trust, () => bar.increment()),
    });
  } finally {
    lake.close();
  }
}

async function logIdentity(): Promise<{ signer: Signer; origin: string }> {
  const config = readConfig();
  const signer = await configuredSigner(config);
  const origin = config.LOG_ORIGIN;
  if (origin === undefined)
    throw new Failure('LOG_ORIGIN is not set: the log needs a name, such as api.example.com/log');
  if (signer === undefined)
    throw new Failure('SIGNING_KEY_FILE is not set: the log must be signed ("audit keygen" makes a key)');
  return { signer, origin };
}

function witnessesOf(urls: readonly string[], keys: readonly string[]): Witness[] {
  if (keys.length > 0 && keys.length !== urls.length)
    throw new Failure(
      `--witness-key: WITNESS_URLS has ${urls.length} witnesses, and ${keys.length} keys were given`,
    );
  return urls.map((url, index) => ({
    url,
    key: keys[index] === undefined ? null : parseVerifierKey(keys[index]),
  }));
}

function printAppended(
  { added, size, root, refused }: Appended,
  witnesses: readonly WitnessOutcome[],
  stamps: readonly StampOutcome[],
): void {
  const entries = added === 1 ? '1 entry' : `${added} entries`;
  process.stdout.write(`Appended ${entries}; the log has ${size}, root ${root}.\n`);
  printTable(witnesses.map(({ url, failure }) => ({ witness: url, result: failure ?? 'cosigned' })));
  printTable(stamps.map(({ size: of, failure }) => ({ checkpoint: of, result: failure ?? 'stamped' })));
  for (const { workspaceId, reason } of refused)
    process.stderr.write(`workspace ${workspaceId} was not appended: ${reason}\n`);
}

function proveCommand(): Command {
  const command = new Command('prove')
    .description('write the proof that a snapshot is in the log: SNAPSHOT.tlog-proof')
    .argument('<snapshot>', 'the snapshot')
    .option('--out <file>', 'where to write it; - for standard output (default: SNAPSHOT.tlog-proof)')
    .addHelpText('after', `\n${ID_HELP}`)
    .action(async (reference: string, options: AuditOptions & { out?: string }) => {
      const { snapshotId, proof } = await onStore(options, async (store) => {
        const workspaceId = await chooseWorkspace(store, options.workspace);
        const trust = await trustOf(options);
        const { link, manifest } = await resolveSnapshot(store, workspaceId, reference, trust);
        const { publishedAt } = manifest;
        const checkpoint = await readCheckpoint(store);
        if (checkpoint === null) throw new Failure(`${store.url} has no log: "log append" begins one`);
        return {
          ...link,
          proof: await proveSnapshot(store, checkpoint, { workspaceId, ...link, publishedAt }),
        };
      });
      if (proof === null)
        throw new Failure(`snapshot ${snapshotId} is not in the log yet: "log append" appends it`);
      const out = options.out ?? `${snapshotId}.tlog-proof`;
      if (out === '-') process.stdout.write(proof);
      else await writeProof(out, proof);
      if (options.json) printJson({ snapshotId, file: out });
      else if (out !== '-') process.stdout.write(`${out}\n`);
    });
  return withAuditOptions(command);
}

async function writeProof(file: string, proof: string): Promise<void> {
  try {
    await writeFile(file, proof);
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

function adoptCommand(): Command {
  return new Command('adopt')
    .description('record the head of the log in the lake, after the lake was lost or the store moved')
    .addOption(storeOption())
    .addOption(lakeOption())
    .addOption(publicKeyOption())
    .action(async (options: AppendCommandOptions) => {
      const { signer } = await logIdentity();
      const trust: Trust = new Map([...signer.trust, ...((await trustOf(options)) ?? [])]);
      const lake = openStore(options.lake);
      try {
        const size = await onStore(options, async (store) => await adoptLog(store, lake, trust));
        process.stdout.write(`The lake remembers the log of ${size} entries now.\n`);
      } finally {
        lake.close();
      }
    });
}

function keyCommand(): Command {
  return new Command('key')
    .description("print the log's verifier key (vkey), for auditors, witnesses and their tools")
    .action(async () => {
      const { signer, origin } = await logIdentity();
      const [publicKey] = signer.trust.values();
      process.stdout.write(`${formatVerifierKey(verifierKey(origin, ED25519, publicKey!))}\n`);
    });
}
