import { Command, InvalidArgumentError, Option } from 'commander';
import { engineName } from '../../lib/weeks/words.ts';
import { printTable, printable } from '../../lib/cli.ts';
import { Failure } from '../../lib/failure.ts';
import { isDate } from '../../lib/methodology/instant.ts';
import { onLog, printJson, withAuditOptions } from './options.ts';
import type { AuditOptions } from './options.ts';
import { REFERENCE_HELP, chooseWorkspace, resolveSnapshot } from '../reading/select.ts';
import type { Entry, LoggedStore } from '../reading/select.ts';
import { findBrand } from '../reading/documents.ts';
import { diffSnapshots } from '../diff/diff.ts';
import type { JudgedChange, SnapshotDiff } from '../diff/diff.ts';
import { meaningOf, nameInWords } from '../diff/words.ts';
import { causes, labels } from '../diff/labels.ts';
import type { Label } from '../diff/labels.ts';

interface Options extends AuditOptions {
  brand?: string;
  label?: Label[];
  all?: boolean;
  asOf?: string[];
}

export function diffCommand(): Command {
  const command = new Command('diff')
    .description(
      'list every value that differs between two snapshots, and whether the difference means anything',
    )
    .argument('[from]', 'the older snapshot', 'previous')
    .argument('[to]', 'the newer snapshot', 'current')
    .option('--as-of <date...>', 'the two snapshots computed as of these days', readDates)
    .option('--brand <id or name>', 'only this brand')
    .addOption(new Option('--label <label...>', 'only changes with one of these labels').choices(labels))
    .option('--all', 'list every changed value, not only those that moved')
    .addHelpText('after', HELP)
    .action(async (from: string, to: string, options: Options) => {
      const diff = await onLog(options, async (logged) => {
        const { store } = logged;
        const workspaceId = chooseWorkspace(logged, options.workspace);
        const [older, newer] = await pairOf(logged, workspaceId, [from, to], options.asOf);
        const brandId =
          options.brand === undefined ? undefined : await findBrand(store, newer, options.brand);
        return await diffSnapshots(store, older, newer, brandId);
      });
      const shown = options.label === undefined ? diff : onlyLabels(diff, options.label);
      if (options.json) printJson(shown);
      else printDiff(shown, options.all === true || options.label !== undefined);
    });
  return withAuditOptions(command);
}

const HELP = `
${REFERENCE_HELP}
The first ${causes.length} labels are causes: they make the two weeks incomparable, and replace the statistical label of the values
that they affect. Each judgement names its rule. A score has moved if the newer week lists its engine in "moved"
(engines together). An alert, or a score outside of the newer drift band, that is not listed is possibly chance. A share
has moved if its two distances to the first row do not touch (gap by prompt); if another name is first, or a distance is
not known, if its two 95 % intervals do not touch (interval). The overall visibility has moved if any of its scores has
moved. A prompt on an engine is won if the newer snapshot names the brand and the older one did not, and lost the other
way round. One prompt on one engine is one random draw: a single change is not evidence of a trend.
Values without an interval or a band are not judged. --json has the JSON pointer of each value.`;

function readDates(text: string, before: string[] = []): string[] {
  if (!isDate(text) || before.length === 2)
    throw new InvalidArgumentError('expected two dates such as 2026-11-09 2026-11-16.');
  return [...before, text];
}

async function pairOf(
  logged: LoggedStore,
  workspaceId: string,
  named: [string, string],
  asOf: string[] | undefined,
): Promise<[Entry, Entry]> {
  if (asOf?.length === 1) throw new Failure('--as-of needs two dates: the older snapshot and the newer one');
  const references = asOf === undefined ? named : asOf.map((date) => ({ asOf: date }));
  const [older, newer] = await Promise.all(
    references.map(async (reference) => await resolveSnapshot(logged, workspaceId, reference)),
  );
  return [older!, newer!];
}

function onlyLabels(diff: SnapshotDiff, wanted: readonly Label[]): SnapshotDiff {
  const brands = diff.brands.map((brand) => ({
    ...brand,
    changes: brand.changes.filter(({ label }) => wanted.includes(label)),
    wonAndLost: [],
  }));
  return { ...diff, brands: brands.filter(({ change, changes }) => change !== null || changes.length > 0) };
}

/** @param isWhole false: lists what moved, whatever the cause, and counts the rest */
function printDiff({ from, to, brands, counts }: SnapshotDiff, isWhole: boolean): void {
  const { stdout } = process;
  const isShown = ({ judgement }: JudgedChange) => isWhole || judgement === 'moved';
  stdout.write(`${from.snapshotId} → ${to.snapshotId}\n`);
  if (brands.length === 0) stdout.write(`\n${nothingShown(counts)}\n`);
  for (const brand of brands) {
    const { name, brandId, change, causes: found, causesOnEngines, silent, changes, wonAndLost } = brand;
    const what = [...(change === null ? [] : [change]), ...found].join(', ');
    stdout.write(`\n${printable(name)} (${brandId})${what === '' ? '' : `: ${what}`}\n`);
    for (const sentence of silent) stdout.write(`${sentence}\n`);
    for (const { slug, text } of causesOnEngines) stdout.write(`${engineName(slug)}: ${printable(text)}\n`);
    printTable(
      changes.filter(isShown).map((each) => ({
        label: each.label,
        rule: each.rule ?? '',
        value: each.place,
        old: each.oldText,
        new: each.newText,
      })),
    );
    if (wonAndLost.length > 0) stdout.write('\n');
    printTable(
      wonAndLost.map((each) => ({
        result: each.change,
        prompt: each.promptText,
        engine: engineName(each.slug),
        position: each.position,
      })),
    );
  }
  printMeanings(brands.flatMap(({ changes }) => changes.filter(isShown)));
  const present = labels.filter((label) => counts[label] > 0);
  if (present.length > 0)
    stdout.write(`\n${present.map((label) => `${counts[label]} ${label}`).join(', ')}\n`);
  if (!isWhole && present.length > 0) stdout.write('--all lists every changed value.\n');
}

/** What the fields mean, in the words of the API's description, each once. */
function printMeanings(changes: readonly JudgedChange[]): void {
  const lines = changes.flatMap(({ document, path }) => {
    const meaning = meaningOf(document, path);
    return meaning === null ? [] : [`${nameInWords(path.at(-1)!)}: ${meaning}`];
  });
  if (lines.length > 0) process.stdout.write(`\n${[...new Set(lines)].join('\n')}\n`);
}

/** Says "Nothing changed" only if no value changed at all, not if `--label` filtered out all changes. */
function nothingShown(counts: SnapshotDiff['counts']): string {
  const isSame = labels.every((label) => counts[label] === 0);
  return isSame ? 'Nothing changed.' : 'No change has one of these labels. There are:';
}
