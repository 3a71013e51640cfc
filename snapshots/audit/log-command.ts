import { Command, Option } from 'commander';
import { printTable, printable } from '../../lib/cli.ts';
import { counted } from '../../lib/weeks/names.ts';
import { readConfig } from '../../lib/config.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';
import {
  lakeOption,
  onLog,
  printJson,
  publicKeyOption,
  readCheckpoints,
  readLocation,
  storeOption,
  trustOf,
  withAuditOptions,
  writeGiven,
} from './options.ts';
import type { AuditOptions } from './options.ts';
import { ID_HELP, chooseWorkspace, resolveSnapshot } from '../reading/select.ts';
import { originOf } from '../log/identity.ts';
import { formatVerifierKey, verifierKey } from '../log/notes/note.ts';
import { proveSnapshot } from '../log/prove.ts';
import { adoptLog } from '../recover/adopt.ts';
import { findLostInputs, linesOf, objectsIn, sentenceOf } from '../recover/lost-inputs.ts';
import type { LostInputs } from '../recover/lost-inputs.ts';
import { withCommitParts } from '../log/write/parts.ts';
import { healFrom, repairLog } from '../recover/repair.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { openStore } from '../../lib/store/open.ts';
import type { Written } from '../log/write/create-exactly.ts';

export function logCommand(): Command {
  return new Command('log')
    .description('the transparency log: complete it, prove a snapshot')
    .addCommand(completeCommand())
    .addCommand(proveCommand())
    .addCommand(keyCommand());
}

interface WriteOptions {
  store: StoreLocation;
  lake: StoreLocation;
  json?: true;
}

interface CompleteOptions extends WriteOptions {
  from?: StoreLocation;
  fromStore?: true;
  checkpoint?: string[];
  lakeIsLost?: true;
}

function completeCommand(): Command {
  const command = new Command('complete')
    .description(
      'write again whatever of log, heads and histories is missing or altered, and more from a copy',
    )
    .addOption(storeOption())
    .addOption(lakeOption())
    .addOption(
      new Option(
        '--from <copy>',
        'a copy of the store (a folder or s3://bucket/prefix): also writes what it has of missing or altered manifests, inputs and documents',
      ).argParser(readLocation),
    )
    .option(
      '--from-store',
      'the other way round: the lake was lost or is older, and learns the log of the store',
    )
    .option(
      '--checkpoint <file...>',
      'with --from-store: checkpoints that were kept, which the log must continue',
    )
    .option(
      '--lake-is-lost',
      'with --from-store: go on although the lake lacks objects that snapshots were computed from',
    )
    .option('--json', 'print the result as JSON')
    .action(async (options: CompleteOptions) => {
      const { from, fromStore, checkpoint, lakeIsLost } = options;
      if (from !== undefined && fromStore)
        command.error('error: --from COPY and --from-store exclude each other');
      if (fromStore) return await completeFromStore(options);
      if (checkpoint !== undefined) command.error('error: --checkpoint belongs to --from-store');
      if (lakeIsLost) command.error('error: --lake-is-lost belongs to --from-store');
      const repaired = await withCommitParts(options, async (parts) => await repair(parts, options));
      printRepaired(repaired, options.json);
    });
  return command;
}

async function repair(parts: CommitParts, { from }: CompleteOptions) {
  const { size, written } = await repairLog(parts);
  if (from === undefined) return { size, written };
  const copy = openStore(from);
  try {
    return { size, written: [...written, ...(await healFrom(parts, copy))] };
  } finally {
    copy.close();
  }
}

async function completeFromStore(options: CompleteOptions): Promise<void> {
  const kept = await readCheckpoints(options.checkpoint ?? []);
  let lost: LostInputs = { objects: [], snapshots: 0 };
  const adopted = await withCommitParts(options, async (parts) => {
    const { store, lake } = parts;
    return await adoptLog(parts, kept, async (fold) => {
      lost = await findLostInputs(store, fold, await objectsIn(options.lake));
      if (lost.snapshots > 0 && !options.lakeIsLost) throw refusal(lost, lake.url);
    });
  });
  if (options.json) return printJson({ ...adopted, lost });
  if (lost.snapshots > 0)
    process.stdout.write(
      `${sentenceOf(lost, 'The lake')}: these weeks stay verifiable and cannot be rebuilt, and later weeks are computed without what was lost.\n${linesOf(lost).join('\n')}\n`,
    );
  process.stdout.write(
    `The lake remembers the log of ${adopted.size} entries now, root ${adopted.root}. Compare the root with a kept checkpoint; "audit verify" lists what the store has lost.\n`,
  );
}

function refusal(lost: LostInputs, lake: string): Failure {
  return new Failure(
    `${sentenceOf(lost, lake)}: mount or restore the lake, and ingest again what was delivered since. If they are lost for good, add --lake-is-lost: these weeks then stay verifiable, and cannot be rebuilt`,
    { details: linesOf(lost) },
  );
}

function printRepaired(
  { size, written }: { size: number; written: Written[] },
  json: true | undefined,
): void {
  if (json) return printJson({ size, written });
  printTable(written.map(({ key, was }) => ({ written: printable(key), was })));
  process.stdout.write(
    `The log of ${size} entries is complete; ${counted(written.length, 'object')} written again.\n`,
  );
}

function proveCommand(): Command {
  const command = new Command('prove')
    .description('write the proof that a snapshot is in the log: SNAPSHOT.tlog-proof')
    .argument('<snapshot>', 'the snapshot')
    .option('--out <file>', 'where to write it; - for standard output (default: SNAPSHOT.tlog-proof)')
    .addHelpText('after', `\n${ID_HELP}`)
    .action(async (reference: string, options: AuditOptions & { out?: string }) => {
      const { snapshotId, proof } = await onLog(options, async (logged) => {
        const workspaceId = chooseWorkspace(logged, options.workspace);
        const { publication } = await resolveSnapshot(logged, workspaceId, reference);
        const { checkpoint } = logged.log;
        const { inclusionProof } = await proveSnapshot(logged.store, checkpoint, workspaceId, publication);
        return { snapshotId: publication.snapshotId, proof: inclusionProof };
      });
      const out = options.out ?? `${snapshotId}.tlog-proof`;
      const isPrinted = out === '-';
      if (!isPrinted) await writeGiven(out, proof);
      if (options.json) printJson(isPrinted ? { snapshotId, proof } : { snapshotId, file: out });
      else process.stdout.write(isPrinted ? proof : `${out}\n`);
    });
  return withAuditOptions(command);
}

function keyCommand(): Command {
  return new Command('key')
    .description('print verifier keys (vkeys), for witnesses and tools of others; needs the public key only')
    .addOption(storeOption())
    .addOption(publicKeyOption())
    .action(async (options: Pick<AuditOptions, 'store' | 'publicKey'>) => {
      const trust = await trustOf(options);
      const name = originOf(readConfig(), options.store);
      for (const publicKey of trust.values())
        process.stdout.write(`${formatVerifierKey(verifierKey(name, publicKey))}\n`);
    });
}
