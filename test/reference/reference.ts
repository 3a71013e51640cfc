import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDeliveries } from './drop.ts';
import type { Delivered, Delivery, TrackingKind } from './drop.ts';
import { instantOf } from './records.ts';
import type { Run, Tracked } from './records.ts';
import { timelineOf } from './questions.ts';
import { resultsOf } from './results.ts';
import { stabilityOf } from './stability.ts';
import { tablesOf } from './tables.ts';
import type { GivenBrand } from './tables.ts';
import { byText, namesBrand, tidy } from './text.ts';
import { visibilityOf } from './visibility.ts';
import { weekOf } from './week.ts';
import { competitorsOf, sourcesOf } from './window.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/methodology.md'), 'utf8');
const [, methodologyVersion] = /^Version (\S+)$/m.exec(page) as unknown as [string, string];

/** The brand list (`brands`), the documents of each brand, by its id, and the `week`: every one the `data` of a response. */
export type WorkspaceAnswers = Record<string, unknown>;

export interface Answers {
  workspaces: Record<string, WorkspaceAnswers>;
  /** The `data` of the tables of each workspace, by the name of the table. */
  tables: Record<string, Record<string, unknown>>;
  refused: Delivered['refused'];
  /** Runs of brands that are not tracked. */
  orphanedRuns: number;
}

/**
 * The expected responses for some deliveries as of an instant, computed by docs/methodology.md and docs/ingest.md only:
 * without DuckDB, lib and jobs, from plain arrays that are searched for every number.
 */
export function answersOf(deliveries: readonly Delivery[], asOfText: string): Answers {
  const asOf = instantOf(asOfText);
  const delivered = readDeliveries(deliveries);
  const today = instantText(asOf).slice(0, 10);
  const state = (kind: TrackingKind) => stateAt(delivered, kind, today);
  const runs = [...delivered.runs.values()].filter((run) => run.ranAt <= asOf && run.cycle <= today);
  const tables: Answers['tables'] = {};
  const workspaces = state('workspaces').map(({ id }): [string, WorkspaceAnswers] => {
    const brands = state('brands')
      .filter((brand) => brand.workspaceId === id)
      .toSorted(oldestFirst);
    const list = brands.map((brand) => ({ ...referenceTo(brand), createdAt: instantText(brand.createdAt!) }));
    const documents = brands.map((brand) => {
      const ofBrand = <T extends { brandId?: string }>(all: T[]) => all.filter((o) => o.brandId === brand.id);
      const own = {
        prompts: ofBrand(state('prompts')),
        allPrompts: state('prompts'),
        competitors: ofBrand(state('competitors')),
        events: state('events').filter(
          ({ workspaceId, date }) => (workspaceId ?? id) === id && date! <= today,
        ),
      };
      return [brand.id, documentsOf(brand, ofBrand(runs), own, asOf)] as const;
    });
    const given = documents.map(([, each], at) => ({
      brand: list[at]!,
      methodologyVersion,
      documents: each as GivenBrand['documents'],
    }));
    tables[id] = tablesOf(given);
    const week = weekOf(
      instantText(asOf),
      given.map((each) => each.documents),
    );
    return [id, { brands: list, ...Object.fromEntries(documents), week }];
  });
  const known = new Set(state('brands').map((brand) => brand.id));
  return {
    workspaces: Object.fromEntries(workspaces),
    tables,
    refused: delivered.refused,
    orphanedRuns: runs.filter((run) => !known.has(run.brandId)).length,
  };
}

/** The newest state of a day or before; of two with the same date, the one delivered later. */
function stateAt({ states }: Delivered, kind: TrackingKind, today: string): Tracked[] {
  const past = states.filter((state) => state.kind === kind && state.date <= today);
  return past.toSorted((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date))).at(-1)?.records ?? [];
}

const WINDOW = 14n * 24n * 3600n * 1_000_000n;

function documentsOf(
  brand: Tracked,
  runs: readonly Run[],
  own: { prompts: Tracked[]; allPrompts: Tracked[]; competitors: Tracked[]; events: Tracked[] },
  asOf: bigint,
) {
  const recent = runs.filter((run) => run.ranAt > asOf - WINDOW);
  const answers = recent.filter((run) => run.status === 'success');
  const prompts = own.prompts.toSorted(oldestFirst);
  const ids = new Set(own.competitors.map((competitor) => competitor.id));
  const reference = { brand: referenceTo(brand) };
  const listed = prompts.map(({ id, text, isActive, createdAt, tags }) => ({
    id,
    text,
    isActive,
    createdAt: instantText(createdAt!),
    namesBrand: namesBrand(text!, brand.name!),
    tags: [...new Set(tags!.map(tidy))].filter((tag) => tag !== '').toSorted(byText),
  }));
  const texts = new Map(own.allPrompts.map(({ id, text }) => [id, text!]));
  const surroundings = {
    recent,
    events: own.events,
    isBranded: (id: string) => texts.has(id) && namesBrand(texts.get(id)!, brand.name!),
    asOf,
  };
  const { events, ...visibility } = visibilityOf(runs, surroundings);
  return {
    visibility: { events, ...reference, ...visibility },
    stability: { ...reference, ...stabilityOf(runs, prompts, ids) },
    competitors: { ...reference, ...competitorsOf(brand, own.competitors, answers) },
    sources: { ...reference, ...sourcesOf(brand, own.competitors, answers) },
    results: { ...reference, ...resultsOf(runs, prompts) },
    timeline: { ...reference, ...timelineOf(brand, own.competitors, runs) },
    prompts: { ...reference, prompts: listed },
  };
}

function oldestFirst(a: Tracked, b: Tracked): number {
  return a.createdAt! < b.createdAt! || (a.createdAt === b.createdAt && a.id < b.id) ? -1 : 1;
}

function referenceTo({ id, name, domain }: Tracked) {
  return { id, name: name!, domain: domain! };
}

/** In milliseconds, truncated. */
function instantText(micros: bigint): string {
  const milliseconds = (micros - (((micros % 1000n) + 1000n) % 1000n)) / 1000n;
  return new Date(Number(milliseconds)).toISOString();
}
