import type { CauseOnEngine } from '../../lib/weeks/causes.ts';
import type { Brands } from '../../lib/documents/brands.ts';
import { documentKinds } from '../../lib/documents/kinds.ts';
import type { ComparedDocument, DocumentKind } from '../../lib/documents/kinds.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH, documentPath } from '../layout.ts';
import type { Entry } from '../reading/select.ts';
import type { Manifest } from '../manifest.ts';
import { readData } from '../reading/documents.ts';
import { causeOfLabel, causesBetween, causesOf } from './causes.ts';
import type { BrandDocuments, Week } from './causes.ts';
import { changesBetween } from './changes.ts';
import type { Change, Json } from './changes.ts';
import { judge } from './judge.ts';
import { labels, notJudged } from './labels.ts';
import type { Cause, Judgement, Label, Rule } from './labels.ts';

import { silentInWords } from '../../lib/weeks/words.ts';
import { placeInWords, valueInWords } from './words.ts';
import type { Names } from './words.ts';
import { wonAndLost } from '../../lib/weeks/won-lost.ts';
import type { WonOrLost } from '../../lib/weeks/won-lost.ts';

/** A changed value with its judgement. */
export interface JudgedChange extends Change {
  document: ComparedDocument;
  /** Its place, in words. */
  place: string;
  /** The values in words. */
  oldText: string;
  newText: string;
  label: Label;
  /** The causes that make the two values incomparable; the first is the label. */
  causes: Cause[];
  /** The judgement by the numbers alone. */
  judgement: Judgement;
  /** The rule of that judgement; null if no rule applies. */
  rule: Rule | null;
}

export interface BrandDiff {
  brandId: string;
  name: string;
  /** Null if the brand is in both weeks. */
  change: 'added' | 'removed' | null;
  causes: Cause[];
  /** What was different on which engine, in words, for the causes that affect one engine. */
  causesOnEngines: CauseOnEngine[];
  /** Sentences on the engines that gave no answer lately, as of the newer week. */
  silent: string[];
  changes: JudgedChange[];
  /** Prompts on engines that name the brand in one of the two weeks only. */
  wonAndLost: WonOrLost[];
}

export interface SnapshotDiff {
  workspaceId: string;
  from: Pick<Manifest, 'snapshotId' | 'asOf' | 'methodologyVersion'>;
  to: Pick<Manifest, 'snapshotId' | 'asOf' | 'methodologyVersion'>;
  /** Brands in which something changed, in the order of the newer week. */
  brands: BrandDiff[];
  counts: Record<Label, number>;
}

/**
 * Every value that differs between two snapshots of a workspace, or of one of its brands.
 * @throws Failure if a document of either snapshot does not match its hash.
 */
export async function diffSnapshots(
  store: ObjectStore,
  from: Entry,
  to: Entry,
  brandId?: string,
): Promise<SnapshotDiff> {
  const before = await readData<Brands>(store, from, BRANDS_PATH);
  const after = await readData<Brands>(store, to, BRANDS_PATH);
  const gone = before.filter(({ id }) => !after.some((brand) => brand.id === id));
  const wanted = [...after, ...gone].filter(({ id }) => brandId === undefined || id === brandId);
  const ofBrands = changesBetween('brands', asJson(before), asJson(after));
  const diffs = await manyAtOnce(wanted, async (brand) => {
    const [was, is] = [before, after].map((brands) => brands.find(({ id }) => id === brand.id));
    if (was === undefined || is === undefined) return soleBrand(brand, is !== undefined);
    const weeks = await Promise.all([weekOf(store, from, brand.id), weekOf(store, to, brand.id)]);
    return diffBrand(
      brand,
      ...weeks,
      ofBrands.filter(({ path }) => path[0] === brand.id),
    );
  });
  const brands = diffs.filter(({ change, changes }) => change !== null || changes.length > 0);
  return {
    workspaceId: to.manifest.workspaceId,
    from: headOf(from),
    to: headOf(to),
    brands,
    counts: countLabels(brands),
  };
}

function headOf({ manifest: { snapshotId, asOf, methodologyVersion } }: Entry): SnapshotDiff['from'] {
  return { snapshotId, asOf, methodologyVersion };
}

async function weekOf(store: ObjectStore, entry: Entry, brandId: string): Promise<Week> {
  const { manifest } = entry;
  const read = async (kind: DocumentKind) => [
    kind,
    await readData(store, entry, documentPath(brandId, kind)),
  ];
  const documents = Object.fromEntries(
    await Promise.all(documentKinds.map(read)),
  ) as unknown as BrandDocuments;
  return { asOf: manifest.asOf, methodologyVersion: manifest.methodologyVersion, documents };
}

/** Compares two weeks of a brand. `ofTheBrand`: the changes of its row in the list of brands. */
export function diffBrand(
  { id, name }: { id: string; name: string },
  before: Week,
  after: Week,
  ofTheBrand: readonly Change[] = [],
): BrandDiff {
  const found = causesBetween(before, after);
  const names = namesIn(before, after);
  const changes = ofTheBrand.map((change): JudgedChange => ({
    ...change,
    document: 'brands',
    ...inWords('brands', change, names),
    label: 'brand changed',
    causes: ['brand changed'],
    ...notJudged,
  }));
  for (const kind of documentKinds) {
    for (const change of changesBetween(
      kind,
      asJson(before.documents[kind]),
      asJson(after.documents[kind]),
    )) {
      const verdict = judge(kind, before.documents, after.documents, change);
      const causes = causesOf(found, kind, change);
      const words = inWords(kind, change, names);
      changes.push({
        ...change,
        document: kind,
        ...words,
        label: causeOfLabel(causes, verdict.rule) ?? verdict.judgement,
        causes,
        ...verdict,
      });
    }
  }
  return {
    brandId: id,
    name,
    change: null,
    causes: [...found.present],
    causesOnEngines: [...found.onEngines],
    silent: silentInWords(after.documents.visibility, after.asOf),
    changes: byWeight(changes),
    wonAndLost: wonAndLost(before.documents.results, after.documents.results),
  };
}

/** The texts of the prompts of both weeks, by id; the newer text if a prompt is in both. */
function namesIn(...weeks: readonly Week[]): Names {
  return new Map(
    weeks.flatMap(({ documents }) => [
      ...documents.stability.prompts.map(
        ({ promptId, promptText }) => [promptId, `“${promptText}”`] as const,
      ),
      ...documents.prompts.prompts.map(({ id, text }) => [id, `“${text}”`] as const),
    ]),
  );
}

function inWords(document: ComparedDocument, change: Change, names: Names) {
  return {
    place: placeInWords(document, change, names),
    oldText: valueInWords(change.old, names),
    newText: valueInWords(change.new, names),
  };
}

function asJson(document: unknown): Json {
  return document as Json;
}

function byWeight(changes: readonly JudgedChange[]): JudgedChange[] {
  return changes.toSorted((a, b) => labels.indexOf(a.label) - labels.indexOf(b.label));
}

function soleBrand({ id, name }: Brands[number], isNew: boolean): BrandDiff {
  return {
    brandId: id,
    name,
    change: isNew ? 'added' : 'removed',
    causes: ['brand changed'],
    causesOnEngines: [],
    silent: [],
    changes: [],
    wonAndLost: [],
  };
}

function countLabels(brands: readonly BrandDiff[]): SnapshotDiff['counts'] {
  const counts = Object.fromEntries(labels.map((label) => [label, 0])) as SnapshotDiff['counts'];
  for (const { changes } of brands) for (const { label } of changes) counts[label] += 1;
  return counts;
}
