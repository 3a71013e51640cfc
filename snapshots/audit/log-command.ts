import { Command } from 'commander';
import { printTable, printable } from '../../lib/cli.ts';
import { readConfig } from '../../lib/config.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { Failure, WrongSetting } from '../../lib/failure.ts';
import {
  lakeOption,
  onLog,
  onStore,
  printJson,
  publicKeyOption,
  readCheckpoints,
  storeOption,
  trustOf,
  withAuditOptions,
  writeGiven,
} from './options.ts';
import type { AuditOptions } from './options.ts';
import { ID_HELP, chooseWorkspace, resolveSnapshot } from './select.ts';
import { collectStamps, stampNewHead } from '../log/witness/cosign.ts';
import { originOf } from '../log/identity.ts';
import { COSIGNATURE, ED25519, formatVerifierKey, verifierKey } from '../log/notes/note.ts';
import { proveSnapshot } from '../log/prove.ts';
import { adoptLog } from '../recover/adopt.ts';
import { findLostInputs, linesOf, objectsIn, sentenceOf } from '../recover/lost-inputs.ts';
import type { LostInputs } from '../recover/lost-inputs.ts';
import { restartLog } from '../recover/restart.ts';
import { withCommitParts } from '../log/write/parts.ts';
import { repairLog } from '../recover/repair.ts';
import type { Written } from '../log/write/create-exactly.ts';

export function logCommand(): Command {
  return new Command('log')
    .description('the transparency log: complete or restart it, collect cosignatures, prove a snapshot')
    .addCommand(completeCommand())
    .addCommand(restartCommand())
    .addCommand(cosignCommand())
    .addCommand(proveCommand())
    .addCommand(keyCommand());
}

interface WriteOptions {
  store: StoreLocation;
  lake: StoreLocation;
  json?: true;
}

interface CompleteOptions extends WriteOptions {
  fromStore?: true;
  checkpoint?: string[];
  lakeIsLost?: true;
}

function completeCommand(): Command {
  const command = new Command('complete')
    .description('write again whatever of log, heads, histories, inputs and manifests is missing or altered')
    .addOption(storeOption())
    .addOption(lakeOption())
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
      const { fromStore, checkpoint, lakeIsLost } = options;
      if (fromStore) return await completeFromStore(options);
      if (checkpoint !== undefined) command.error('error: --checkpoint belongs to --from-store');
      if (lakeIsLost) command.error('error: --lake-is-lost belongs to --from-store');
      const repaired = await withCommitParts(options, repairLog);
      printRepaired(repaired, options.json);
    });
  return command;
}

async function completeFromStore(options: CompleteOptions): Promise<void> {
  const kept = await readCheckpoints(options.checkpoint ?? []);
  let lost: LostInputs = { objects: [], snapshots: 0 };
  const adopted = await withCommitParts(options, async (parts) => {
    const { store, lake } = parts;
    return await adoptLog(parts, kept, async (fold) => {
      lost = await findLostInputs(store, fold, await objectsIn(options.lake));
      if (lost.objects.length > 0 && !options.lakeIsLost) throw refusal(lost, lake.url);
    });
  });
  if (options.json) return printJson({ ...adopted, lost });
  if (lost.objects.length > 0)
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
  const what = written.length === 1 ? '1 object' : `${written.length} objects`;
  process.stdout.write(`The log of ${size} entries is complete; ${what} written again.\n`);
}

function restartCommand(): Command {
  return new Command('restart')
    .description('begin the log again under another name, after readers accepted a branch that is not yours')
    .requiredOption('--origin <name>', 'the new name, such as api.example.com/log-2')
    .addOption(storeOption())
    .addOption(lakeOption())
    .option('--json', 'print the result as JSON')
    .addHelpText('after', RESTART_HELP)
    .action(async (options: WriteOptions & { origin: string }) => {
      const size = await withCommitParts(options, async (parts) => {
        const { origin } = options;
        if (origin === parts.origin)
          throw new Failure(`LOG_ORIGIN must still be the old name, and it is ${origin}`);
        const restarted = await restartLog({ ...parts, origin }, parts.origin);
        await stampNewHead(parts.store);
        return restarted.size;
      });
      if (options.json) return printJson({ origin: options.origin, size });
      process.stdout.write(
        `The log is named ${options.origin} now, and has ${size} entries. Set LOG_ORIGIN everywhere, and run "records log forget" where gateways keep the old one.\n`,
      );
    });
}

const RESTART_HELP = `
Reads the old name from LOG_ORIGIN. The first entry names the old log, its size and its root; all old entries follow.
The objects of the old log stay in log-old/.`;

function cosignCommand(): Command {
  return new Command('cosign')
    .description(
      'ask the witnesses (WITNESS_URLS) and the time-stamp authority (TIMESTAMP_URL) about the head',
    )
    .addOption(storeOption())
    .option('--json', 'print the result as JSON')
    .action(async (options: { store: StoreLocation; json?: true }) => {
      const config = readConfig();
      const { WITNESS_URLS = [], TIMESTAMP_URL } = config;
      if (WITNESS_URLS.length === 0 && TIMESTAMP_URL === undefined)
        throw new WrongSetting('neither WITNESS_URLS nor TIMESTAMP_URL is set');
      const outcomes = await onStore(options, async (store) => await collectStamps(store, config));
      if (options.json) printJson(outcomes);
      else printTable(outcomes.map(({ from, failure }) => ({ from, result: failure ?? 'done' })));
      if (outcomes.some(({ failure }) => failure !== null)) process.exitCode = 1;
    });
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
      if (out === '-') process.stdout.write(proof);
      else await writeGiven(out, proof);
      if (options.json) printJson({ snapshotId, file: out });
      else if (out !== '-') process.stdout.write(`${out}\n`);
    });
  return withAuditOptions(command);
}

function keyCommand(): Command {
  return new Command('key')
    .description(
      'print verifier keys (vkeys), for policies, witnesses and their tools; needs the public key only',
    )
    .addOption(storeOption())
    .addOption(publicKeyOption())
    .option('--witness-name <name>', 'print the key as that of a witness of this name')
    .action(async (options: Pick<AuditOptions, 'store' | 'publicKey'> & { witnessName?: string }) => {
      const { witnessName } = options;
      const trust = await trustOf(options);
      const name = witnessName ?? originOf(readConfig(), options.store);
      const type = witnessName === undefined ? ED25519 : COSIGNATURE;
      for (const publicKey of trust.values())
        process.stdout.write(`${formatVerifierKey(verifierKey(name, type, publicKey))}\n`);
    });
}
