import type { TableName } from '../../../jobs/export/tables.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import type { GivenBrand, PublishedWeek } from './published.ts';
import { workspaceId } from './published.ts';

export type Value = string | number | boolean | null;
export type Row = Record<string, Value>;
export type Tables = Record<TableName, Row[]>;

/** A document of which any field may be missing. */
type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Loose<T[Key]> }
    : T;

/** The rows of every table, flattened from the documents in plain code. */
export function expectedTables(weeks: readonly PublishedWeek[]): Tables {
  const tables: Tables = {
    brands: [],
    visibility: [],
    trend: [],
    events: [],
    results: [],
    stability: [],
    stability_names: [],
    share_of_voice: [],
    sources: [],
    prompts: [],
    silent: [],
    share_of_voice_by_engine: [],
    own_site: [],
    timeline: [],
  };
  for (const week of weeks) for (const given of week.brands) addBrand(tables, week, given);
  return tables;
}

function addBrand(tables: Tables, week: PublishedWeek, { brand, documents }: GivenBrand): void {
  const key = {
    workspace_id: workspaceId,
    workspace_name: week.workspaceName,
    snapshot_id: week.snapshotId,
    sequence: week.sequence,
    as_of: week.asOf,
    brand_id: brand.id,
    brand_name: brand.name,
  };
  const add: Add = (table, row) => {
    const whole = Object.entries({ ...key, ...row }).map(([name, value]) => [name, value ?? null]);
    tables[table].push(Object.fromEntries(whole) as Row);
  };
  const { visibility, competitors, stability, results, sources, timeline, prompts } =
    documents as Loose<Documents>;
  add('brands', {
    brand_domain: brand.domain,
    brand_created_at: brand.createdAt,
    published_at: week.publishedAt,
    methodology_version: '1.2',
    overall_visibility: visibility?.overallVisibility,
    answers: visibility?.signals?.answers,
    answers_naming: visibility?.signals?.answersNaming,
    mentions: visibility?.signals?.mentions,
    positive: visibility?.signals?.positive,
    neutral: visibility?.signals?.neutral,
    negative: visibility?.signals?.negative,
    net_sentiment: visibility?.signals?.netSentiment,
    avg_position: visibility?.signals?.avgPosition,
    total_mentions: competitors?.totalMentions,
    noise_floor_pp: competitors?.noiseFloorPp,
    source_answers: sources?.answers,
    answers_citing: sources?.answersCiting,
    own_site_citations: sources?.ownSite?.citations,
    own_site_answers: sources?.ownSite?.answers,
  });
  addScores(visibility, add);
  for (const [engine, points] of Object.entries(visibility?.trend ?? {}).toSorted(byKey))
    for (const point of points ?? []) add('trend', { engine, ...snakeCase(point) });
  for (const { date, slug, text, url } of visibility?.events ?? [])
    add('events', { date, engine: slug, text, url });
  addResults(results, add);
  addStability(stability, add);
  addShares(competitors, add);
  for (const [index, fields] of (sources?.sources ?? []).entries())
    add('sources', { rank: index + 1, ...snakeCase(fields) });
  addPrompts(prompts, add);
  for (const { slug, ...fields } of visibility?.silent ?? [])
    add('silent', { engine: slug, ...snakeCase(fields) });
  for (const { slug, ...fields } of sources?.ownSite?.perEngine ?? [])
    add('own_site', { engine: slug, ...snakeCase(fields) });
  addTimeline(timeline, add);
}

type Add = (table: TableName, row: Record<string, Value | undefined>) => void;

function addResults(results: Loose<Documents['results']> | undefined, add: Add): void {
  for (const { promptId, promptText, engines } of results?.prompts ?? [])
    for (const { slug, evidence = [], ...fields } of engines ?? [])
      add('results', {
        prompt_id: promptId,
        prompt_text: promptText,
        engine: slug,
        ...snakeCase(fields),
        answer_urls: joined(evidence.map(({ url }) => url)),
        answer_sha256: joined(evidence.map(({ sha256 }) => sha256)),
      });
}

function addTimeline(timeline: Loose<Documents['timeline']> | undefined, add: Add): void {
  for (const { name, isBrand, engines } of timeline?.names ?? [])
    for (const { slug, promptsNamed } of engines ?? [])
      for (const [cycle, named] of (promptsNamed ?? []).entries()) {
        const { dates, promptsAnswered } = timeline!.engines!.find((engine) => engine.slug === slug)!;
        add('timeline', {
          name,
          is_brand: isBrand,
          engine: slug,
          date: dates![cycle],
          prompts_answered: promptsAnswered![cycle],
          prompts_named: named,
        });
      }
}

function addPrompts(prompts: Loose<Documents['prompts']> | undefined, add: Add): void {
  for (const { id, text, isActive, createdAt, namesBrand, tags } of prompts?.prompts ?? [])
    add('prompts', {
      prompt_id: id,
      prompt_text: text,
      is_active: isActive,
      created_at: createdAt,
      names_brand: namesBrand,
      tags: tags?.join('; ') || null,
    });
}

function addScores(visibility: Loose<Documents['visibility']> | undefined, add: Add): void {
  for (const { slug, samePrompts, fourWeeks, unbranded, models, ...fields } of visibility?.perEngine ?? [])
    add('visibility', {
      engine: slug,
      ...snakeCase(fields),
      models_changed: fields.modelsChanged,
      answers: fields.answers,
      same_prompts: samePrompts?.prompts,
      same_prompts_named: samePrompts?.named,
      same_prompts_expected: samePrompts?.expected,
      same_prompts_significant: samePrompts?.isSignificant,
      models: models?.join('; ') || null,
      unbranded_answered: unbranded?.promptsAnswered,
      unbranded_named: unbranded?.promptsNamed,
      same_prompts_p_value: samePrompts?.pValue,
      detectable_pp: samePrompts?.detectablePp,
      has_moved: slug === undefined ? null : visibility?.moved?.includes(slug),
      four_weeks_prompts: fourWeeks?.prompts,
      four_weeks_named: fourWeeks?.named,
      four_weeks_expected: fourWeeks?.expected,
      four_weeks_significant: fourWeeks?.isSignificant,
    });
}

function addShares(competitors: Loose<Documents['competitors']> | undefined, add: Add): void {
  for (const [index, { behindLeader, perEngine, ...fields }] of (competitors?.shareOfVoice ?? []).entries()) {
    add('share_of_voice', {
      rank: index + 1,
      ...snakeCase(fields),
      gap_pp: behindLeader?.gapPp,
      gap_low_pp: behindLeader?.lowPp,
      gap_high_pp: behindLeader?.highPp,
      is_behind: behindLeader?.isBehind,
    });
    for (const { slug, mentions, answersNaming } of perEngine ?? [])
      add('share_of_voice_by_engine', {
        rank: index + 1,
        name: fields.name,
        is_brand: fields.isBrand,
        engine: slug,
        mentions,
        answers_naming: answersNaming,
        answers: competitors?.perEngine?.find((engine) => engine.slug === slug)?.answers,
      });
  }
}

function joined(texts: readonly (string | null | undefined)[]): string | null {
  return texts.filter((text) => text !== null && text !== undefined).join(' ') || null;
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

function addStability(stability: Loose<Documents['stability']> | undefined, add: Add): void {
  for (const { promptId, promptText, engines } of stability?.prompts ?? [])
    for (const { slug, core = [], carousel = [], ...fields } of engines ?? []) {
      add('stability', {
        prompt_id: promptId,
        prompt_text: promptText,
        engine: slug,
        ...snakeCase(fields),
        core_names: core.length,
        carousel_names: carousel.length,
      });
      for (const [index, name] of [...core, ...carousel].entries())
        add('stability_names', {
          prompt_id: promptId,
          engine: slug,
          rank: index + 1,
          name: name.entity,
          is_core: index < core.length,
          stability: name.stability,
          cycles: Math.round(name.stability! * fields.cyclesObserved!),
        });
    }
}

function snakeCase(fields: Record<string, unknown>): Record<string, Value> {
  const renamed = Object.entries(fields).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(renamed) as Record<string, Value>;
}
