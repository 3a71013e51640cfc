import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Documents } from '../adapters/publish.ts';

/* The tables of docs/columns.csv, flattened from documents in plain code: the file alone says which columns there are. */

export type Value = string | number | boolean | null;
export type Row = Record<string, Value>;

interface Column {
  name: string;
  type: string;
  isNullable: boolean;
  meaning: string;
}

const [, ...lines] = readFileSync(join(import.meta.dirname, '../../docs/columns.csv'), 'utf8')
  .trimEnd()
  .split('\n');
const listed = lines.map((line) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
  ),
);

/** The columns that the file lists for a table; those of all tables are listed for `every`. */
export function documented(of: string): Column[] {
  return listed
    .filter(([table]) => table === of)
    .map(([, name, type, missing, meaning]) => ({
      name: name!,
      type: type!,
      isNullable: missing !== '',
      meaning: meaning!,
    }));
}

/** Every table of the file, in its order. */
const documentedTables = [...new Set(listed.map(([table]) => table!))].filter((name) => name !== 'every');

const ofExport = new Set(['results', 'stability', 'stability_names', 'timeline']);

/** The columns of a table in the API: the export adds those of snapshot and log. */
function columnsOf(table: string) {
  const ofBrand = documented('every').filter(({ name }) => name.startsWith('brand_'));
  return [...ofBrand, ...documented(table)]
    .filter(({ name }) => name !== 'published_at')
    .map(({ name, type }) => ({ name, type }));
}

export interface GivenBrand {
  brand: Documents['brands'][number];
  methodologyVersion: string;
  documents: Documents;
}

/** The `data` of every table of the API, for brands in their order. */
export function tablesOf(brands: readonly GivenBrand[]): Record<string, unknown> {
  const names = documentedTables.filter((table) => !ofExport.has(table));
  const all = brands.map(rowsOf);
  return Object.fromEntries(
    names.map((table) => {
      const columns = columnsOf(table);
      const rows = all.flatMap((ofBrand) =>
        ofBrand[table]!.map((row) => columns.map(({ name }) => row[name] ?? null)),
      );
      return [table, { columns, rows }];
    }),
  );
}

/** The rows of a brand in every table of the API, without those columns that do not come from its documents. */
function rowsOf({ brand, methodologyVersion, documents }: GivenBrand): Record<string, Row[]> {
  const tables: Record<string, Row[]> = Object.fromEntries(documentedTables.map((table) => [table, []]));
  const key = { brand_id: brand.id, brand_name: brand.name };
  const add: Add = (table, row) => tables[table]!.push({ ...key, ...row });
  const { visibility, competitors, results, sources, prompts } = documents;
  add('brands', {
    brand_domain: brand.domain,
    brand_created_at: brand.createdAt,
    methodology_version: methodologyVersion,
    overall_visibility: visibility.overallVisibility,
    ...snakeCase(visibility.signals),
    total_mentions: competitors.totalMentions,
    noise_floor_pp: competitors.noiseFloorPp,
    source_answers: sources.answers,
    answers_citing: sources.answersCiting,
    own_site_citations: sources.ownSite?.citations,
    own_site_answers: sources.ownSite?.answers,
  });
  addScores(visibility, add);
  addChanges(results, add);
  addShares(competitors, add);
  for (const [index, fields] of sources.sources.entries())
    add('sources', { rank: index + 1, ...snakeCase(fields) });
  for (const { slug, ...counts } of sources.ownSite?.perEngine ?? [])
    add('own_site', { engine: slug, ...snakeCase(counts) });
  addPrompts(prompts, add);
  return tables;
}

type Add = (table: string, row: Record<string, Value | undefined>) => void;

function addScores(visibility: Documents['visibility'], add: Add): void {
  for (const { slug, samePrompts, fourWeeks, unbranded, models, ...fields } of visibility.perEngine)
    add('visibility', {
      engine: slug,
      ...snakeCase(fields),
      same_prompts: samePrompts?.prompts,
      same_prompts_named: samePrompts?.named,
      same_prompts_expected: samePrompts?.expected,
      same_prompts_significant: samePrompts?.isSignificant,
      models: models.join('; ') || null,
      unbranded_answered: unbranded.promptsAnswered,
      unbranded_named: unbranded.promptsNamed,
      same_prompts_p_value: samePrompts?.pValue,
      detectable_pp: samePrompts?.detectablePp,
      has_moved: visibility.moved.includes(slug),
      four_weeks_prompts: fourWeeks?.prompts,
      four_weeks_named: fourWeeks?.named,
      four_weeks_expected: fourWeeks?.expected,
      four_weeks_significant: fourWeeks?.isSignificant,
    });
  for (const [engine, points] of Object.entries(visibility.trend).toSorted(byKey))
    for (const point of points) add('trend', { engine, ...snakeCase(point) });
  for (const { date, slug, text, url } of visibility.events) add('events', { date, engine: slug, text, url });
  for (const { slug, lastAnswered, runs } of visibility.silent)
    add('silent', { engine: slug, last_answered: lastAnswered, runs });
}

function addChanges(results: Documents['results'], add: Add): void {
  for (const { promptId, promptText, engines } of results.prompts)
    for (const { slug, evidence, ...fields } of engines) {
      if (!['won', 'lost', 'new'].includes(fields.change)) continue;
      add('changes', {
        prompt_id: promptId,
        prompt_text: promptText,
        engine: slug,
        ...snakeCase(fields),
        answer_urls: joined(evidence.map(({ url }) => url)),
        answer_sha256: joined(evidence.map(({ sha256 }) => sha256)),
      });
    }
}

function addPrompts(prompts: Documents['prompts'], add: Add): void {
  for (const { id, text, isActive, createdAt, namesBrand, tags } of prompts.prompts)
    add('prompts', {
      prompt_id: id,
      prompt_text: text,
      is_active: isActive,
      created_at: createdAt,
      names_brand: namesBrand,
      tags: tags.join('; ') || null,
    });
}

function addShares(competitors: Documents['competitors'], add: Add): void {
  for (const [index, { behindLeader, perEngine, ...fields }] of competitors.shareOfVoice.entries()) {
    add('share_of_voice', {
      rank: index + 1,
      ...snakeCase(fields),
      gap_pp: behindLeader?.gapPp,
      gap_low_pp: behindLeader?.lowPp,
      gap_high_pp: behindLeader?.highPp,
      is_behind: behindLeader?.isBehind,
    });
    for (const { slug, mentions, answersNaming } of perEngine)
      add('share_of_voice_by_engine', {
        rank: index + 1,
        name: fields.name,
        is_brand: fields.isBrand,
        engine: slug,
        mentions,
        answers_naming: answersNaming,
        answers: competitors.perEngine.find((engine) => engine.slug === slug)!.answers,
      });
  }
}

function joined(texts: readonly (string | null)[]): string | null {
  return texts.filter((text) => text !== null).join(' ') || null;
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

function snakeCase(fields: Record<string, unknown>): Record<string, Value> {
  const renamed = Object.entries(fields).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(renamed) as Record<string, Value>;
}
