import { Argument, Command, Option } from 'commander';
import { printTable } from '../../lib/cli.ts';
import { documentNames } from '../../lib/documents/kinds.ts';
import type { DocumentName } from '../../lib/documents/kinds.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { apiTables } from '../../lib/tables/names.ts';
import type { ApiTable } from '../../lib/tables/names.ts';
import { BRANDS_PATH, WEEK_PATH, documentPath, tablePath } from '../layout.ts';
import type { Inputs, ManifestCompleteness } from '../manifest.ts';
import { readInputs } from '../read.ts';
import { asOfOption, onLog, printJson, referenceOf, withAuditOptions } from './options.ts';
import type { AuditOptions } from './options.ts';
import { REFERENCE_HELP, chooseWorkspace, resolveSnapshot } from '../reading/select.ts';
import type { Entry } from '../reading/select.ts';
import { findBrand, readPublished } from '../reading/documents.ts';

interface Options extends AuditOptions {
  brand?: string;
  document?: Exclude<DocumentName, 'table'>;
  table?: ApiTable;
  asOf?: string;
}

export function showCommand(): Command {
  const command = new Command('show')
    .description('show a document of any week, byte for byte as it was published')
    .addArgument(new Argument('[snapshot]', 'the snapshot').default('current'))
    .addOption(asOfOption())
    .option('--brand <id or name>', 'the brand (optional if there is only one)')
    .addOption(new Option('--document <name>', 'the document (default: the manifest)').choices(shownNames))
    .addOption(new Option('--table <name>', 'the table').choices(apiTables).conflicts('document'))
    .addHelpText('after', HELP)
    .action(async (reference: string, options: Options) => {
      await onLog(options, async (logged) => {
        const { store } = logged;
        const { json } = options;
        const workspaceId = chooseWorkspace(logged, options.workspace);
        const entry = await resolveSnapshot(logged, workspaceId, referenceOf(reference, options.asOf));
        const path = await pathFor(store, entry, options);
        if (path === null) return showManifest(entry, await readInputs(store, entry.manifest), json);
        const bytes = await readPublished(store, entry, path);
        if (!json) return void process.stdout.write(bytes);
        const { snapshotId, asOf } = entry.manifest;
        const document: unknown = JSON.parse(bytes.toString('utf8'));
        return printJson({ workspaceId, snapshotId, asOf, path, sha256: sha256(bytes), document });
      });
    });
  return withAuditOptions(command);
}

const shownNames = documentNames.filter((name) => name !== 'table');

/** The path of the document that is asked for; null: none. */
async function pathFor(
  store: ObjectStore,
  entry: Entry,
  { document, table, brand }: Options,
): Promise<string | null> {
  if (table !== undefined) return tablePath(table);
  if (document === undefined) return null;
  if (document === 'brands') return BRANDS_PATH;
  if (document === 'week') return WEEK_PATH;
  return documentPath(await findBrand(store, entry, brand), document);
}

const HELP = `
${REFERENCE_HELP}
The document is verified against its manifest, and the manifest against the log, before it is shown.`;

function showManifest({ publication, manifest }: Entry, inputs: Inputs, json: true | undefined): void {
  const { manifestSha256, sequence, publishedAt, withdrawn } = publication;
  const facts = { manifestSha256, sequence, publishedAt, withdrawn };
  if (json) return printJson({ ...manifest, ...facts, inputObjects: inputs });
  const { documents, completeness, ...content } = manifest;
  printTable(
    Object.entries({
      ...content,
      ...facts,
      withdrawn: withdrawn === null ? null : `${withdrawn.reason}, at ${withdrawn.at}`,
      completeness: completeness ? completenessText(completeness) : null,
    }).map(([field, value]) => ({ field, value: value === null ? 'none' : String(value) })),
  );
  process.stdout.write('\n');
  printTable(documents.map(({ path, bytes, sha256: hash }) => ({ document: path, bytes, sha256: hash })));
  process.stdout.write('\n');
  printTable(inputs.map(({ path, sha256: hash }) => ({ 'lake object': path, sha256: hash })));
}

function completenessText({ newestCycle, expected, delivered }: ManifestCompleteness): string {
  return `${delivered} of ${expected} prompts on engines expected in the week up to ${newestCycle}`;
}
