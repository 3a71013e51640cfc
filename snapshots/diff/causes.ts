import { causesOnEngines, competitorsTracked, promptsAsked } from '../../lib/weeks/causes.ts';
import type { CauseOnEngine, EngineCause } from '../../lib/weeks/causes.ts';
import type { Documents } from '../../lib/documents/schemas.ts';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import { WINDOW_DAYS } from '../../lib/methodology/constants.ts';
import { OWN_ROW } from '../../lib/weeks/rows.ts';
import type { Change } from './changes.ts';
import { causes } from './labels.ts';
import type { Cause, Rule } from './labels.ts';

/** The documents of one brand in one week. */
export type BrandDocuments = Pick<Documents, DocumentKind>;

export interface Week {
  asOf: string;
  methodologyVersion: string;
  documents: BrandDocuments;
}

/** The differences between two weeks that are not measurements. */
export interface Causes {
  present: ReadonlySet<Cause>;
  /** Those that affect one engine only. */
  onEngines: readonly CauseOnEngine[];
}

export function causesBetween(before: Week, after: Week): Causes {
  const differs = (read: (week: Week) => unknown) =>
    JSON.stringify(read(before)) !== JSON.stringify(read(after));
  const onEngines = causesOnEngines(before.documents, after.documents);
  const isOnEngine = (cause: EngineCause) => onEngines.some((found) => found.cause === cause);
  const found: Record<Cause, boolean> = {
    'methodology changed': differs((week) => week.methodologyVersion),
    'prompts changed': differs(({ documents }) => promptsAsked(documents.prompts)),
    'competitors changed': differs(({ documents }) => competitorsTracked(documents.competitors)),
    'engines changed': differs(enginesRun),
    'models changed': isOnEngine('models changed'),
    'runs per prompt changed': isOnEngine('runs per prompt changed'),
    'answered prompts changed': isOnEngine('answered prompts changed'),
    'brand changed': differs((week) => week.documents.prompts.brand),
  };
  return { present: new Set(causes.filter((cause) => found[cause])), onEngines };
}

/** The engines with a cycle in the window: an engine that no longer runs keeps its last score. */
function enginesRun({ asOf, documents }: Week) {
  const start = new Date(Date.parse(asOf) - WINDOW_DAYS * 86_400_000).toISOString().slice(0, 10);
  return documents.visibility.perEngine.filter((engine) => engine.date > start).map((engine) => engine.slug);
}

/** True for the values that a cause makes incomparable, by what they are computed from (docs/methodology.md). */
const reaches: Record<
  Exclude<Cause, EngineCause>,
  (document: DocumentKind, path: readonly string[]) => boolean
> = {
  'methodology changed': (document, [part]) => document !== 'prompts' && part !== 'brand',
  'prompts changed': (document, path) =>
    document === 'prompts'
      ? path[0] !== 'brand'
      : document === 'stability' || document === 'results'
        ? path[0] === 'prompts' && path[2] !== 'engines' // the other prompts are not affected
        : path[0] !== 'brand',
  'competitors changed': (document, path) =>
    (document === 'competitors' && path[0] !== 'brand') ||
    (document === 'sources' && path[0] === 'sources') ||
    (document === 'stability' && (path[4] === 'core' || path[4] === 'carousel')),
  'engines changed': (document, path) =>
    document === 'visibility'
      ? path[0] === 'overallVisibility' || (path[0] !== 'brand' && path.length === 2)
      : document === 'stability' || document === 'results'
        ? path.length === 4
        : (document === 'competitors' || document === 'sources') && path[0] !== 'brand',
  'brand changed': (document, path) =>
    path[0] === 'brand' ||
    (document === 'competitors' && path[1] === OWN_ROW && path[2] === 'name') ||
    (document === 'sources' && path[2] === 'isOwnDomain'),
};

/** The causes that apply to a change, the widest first. */
export function causesOf(
  { present, onEngines }: Causes,
  document: DocumentKind,
  { path }: Pick<Change, 'path'>,
): Cause[] {
  return causes.filter(
    (cause) =>
      present.has(cause) &&
      (isEngineCause(cause)
        ? onEngines.some((found) => found.cause === cause && reachesEngine(found, document, path))
        : reaches[cause](document, path)),
  );
}

function isEngineCause(cause: Cause): cause is EngineCause {
  return cause in ofOnePrompt;
}

/** True for the causes that also affect the values of a single prompt. */
const ofOnePrompt: Record<EngineCause, boolean> = {
  'models changed': true,
  'runs per prompt changed': true,
  'answered prompts changed': false,
};

/** They state a cause, and are not affected by it. */
const causeFields = new Set<string | undefined>(['answers', 'models', 'modelsChanged']);

/** The mean of all scores is affected by a cause on one engine. */
function reachesEngine(
  { cause, slug }: CauseOnEngine,
  document: DocumentKind,
  path: readonly string[],
): boolean {
  if (document === 'visibility')
    return path[0] === 'overallVisibility' || (path[1] === slug && !causeFields.has(path[2]));
  return ofOnePrompt[cause] && (document === 'stability' || document === 'results') && path[3] === slug;
}

/** The cause that a change is labelled with; undefined if its judgement stands. */
export function causeOfLabel(found: readonly Cause[], rule: Rule | null): Cause | undefined {
  return found.find((cause) => rule !== 'engines together' || !isOfPrompts(cause));
}

function isOfPrompts(cause: Cause): boolean {
  return cause === 'prompts changed' || cause === 'answered prompts changed';
}
