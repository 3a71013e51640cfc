import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { Visibility } from '../../../../lib/documents/visibility.ts';
import { driftBand, roundDouble } from '../../../../lib/methodology/exact.ts';
import {
  engineSlugs,
  MAX_PRIOR_SCORES,
  TREND_SIZE,
  webGrounded,
} from '../../../../lib/methodology/constants.ts';
import type { EngineSlug } from '../../../../lib/methodology/constants.ts';
import {
  alertsOf,
  averagePosition,
  isSignificant,
  modelsChanged,
  netSentiment,
  noAnswerRate,
  overallVisibility,
  scoreOf,
} from '../../../../lib/methodology/visibility.ts';
import { fourWeeks } from '../../../../lib/methodology/four-weeks.ts';
import type { FourWeeksCounts } from '../../../../lib/methodology/four-weeks.ts';
import { dayBeforeWeek, movedOf } from '../../../../lib/methodology/moved.ts';
import { CYCLES_MULTIPLE, samePrompts } from '../../../../lib/methodology/same-prompts.ts';
import type { SamePromptCounts } from '../../../../lib/methodology/same-prompts.ts';
import { makeTable } from '../../../relations.ts';
import { selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

type EngineScore = Visibility['perEngine'][number];

/** Answers, prompts answered and prompts that named the brand, on an engine in a cycle. */
export interface ScoreRow extends Pick<
  EngineScore,
  'slug' | 'date' | 'answers' | 'promptsAnswered' | 'promptsNamed'
> {
  inTrend: boolean;
}

/** The prompts of an engine's latest scores: those that were answered before too, and those without the brand's name. */
interface PromptCountsRow {
  slug: EngineSlug;
  samePrompts: SamePromptCounts;
  fourWeeks: FourWeeksCounts;
  unbrandedAnswered: number;
  unbrandedNamed: number;
}

/** A model of an engine's latest score, or of the score before. */
interface ModelRow {
  slug: EngineSlug;
  isLatest: boolean;
  model: string;
}

/** Runs on an engine in the window. */
interface NoAnswerRow {
  slug: EngineSlug;
  silent: number;
  answered: number;
}

interface SignalsRow extends Omit<Visibility['signals'], 'netSentiment' | 'avgPosition' | 'answers'> {
  /** The sum of the brand's best position in each answer that names it. */
  positionSum: bigint;
}

/** What the document of a brand is made of. */
interface Rows {
  /** Of each engine oldest first. */
  scores: ScoreRow[];
  promptCounts: PromptCountsRow[];
  /** Of each engine sorted. */
  models: ModelRow[];
  events: Visibility['events'];
  noAnswers: NoAnswerRow[];
  silent: Visibility['silent'];
  /** One row at most. */
  signals: SignalsRow[];
}

/** The visibility document (methodology, Visibility, Verdicts and Questions). */
export const visibility: DocumentSource = async (connection, slice, asOf) => {
  const parameters = {
    ...slice,
    trend_size: TREND_SIZE,
    band_scores: MAX_PRIOR_SCORES + 1,
    common: CYCLES_MULTIPLE,
  };
  await makeTable(connection, import.meta, 'engine-score', parameters);
  await makeTable(connection, import.meta, 'prompt-counts', parameters);
  const select = async <Row>(name: string) =>
    await selectByBrand<Row>(connection, import.meta, name, parameters);
  const scores = await select<ScoreRow>('engine-scores');
  const promptCounts = await select<PromptCountsRow>('compared-prompts');
  const models = await select<ModelRow>('models');
  const events = await select<Visibility['events'][number]>('events');
  const noAnswers = await select<NoAnswerRow>('no-answers');
  const silent = await select<Visibility['silent'][number]>('silent');
  const signals = await select<SignalsRow>('signals');
  const before = dayBeforeWeek(asOf);
  return (brandNo, brand) => {
    const rows = {
      scores: scores(brandNo),
      promptCounts: promptCounts(brandNo),
      models: models(brandNo),
      events: events(brandNo),
      noAnswers: noAnswers(brandNo),
      silent: silent(brandNo),
      signals: signals(brandNo),
    };
    return encodeDocument('visibility', { brand, ...visibilityOf(rows, before) });
  };
};

/** The `data` of the document without its brand. @param before the day before the week of the snapshot */
export function visibilityOf(rows: Rows, before: string): Omit<Visibility, 'brand'> {
  const { scores, noAnswers, signals, silent, events } = rows;
  const judged = engineSlugs.flatMap((slug) => {
    const ofEngine = scores.filter((row) => row.slug === slug);
    return ofEngine.length === 0 ? [] : [engineScoreOf(ofEngine, rows)];
  });
  const perEngine = judged.map(({ engine }) => engine);
  const compared = judged.flatMap(({ engine: { slug, date }, p }) =>
    p === null || date <= before ? [] : [{ slug, p }],
  );
  return {
    events,
    overallVisibility: overallVisibility(perEngine),
    perEngine,
    trend: trendOf(scores),
    moved: movedOf(compared),
    silent,
    alerts: alertsOf(perEngine),
    signals: signalsOf(
      signals[0],
      noAnswers.reduce((sum, { answered }) => sum + answered, 0),
    ),
  };
}

/**
 * An engine's latest score, and the unrounded p of its prompts, null while warming up.
 * @param scores of one engine, oldest first; @param rows of all engines
 */
function engineScoreOf(scores: readonly ScoreRow[], rows: Rows): { engine: EngineScore; p: number | null } {
  const latest = scores.at(-1)!;
  const { slug } = latest;
  const priors = scores.slice(0, -1).slice(-MAX_PRIOR_SCORES);
  const noAnswer = rows.noAnswers.find((row) => row.slug === slug);
  const counts = rows.promptCounts.find((row) => row.slug === slug)!;
  const band = driftBand(priors.map(scoreOf), latest.promptsAnswered);
  const published = {
    score: scoreOf(latest),
    bandLow: band === null ? null : roundDouble(band.low, 1),
    bandHigh: band === null ? null : roundDouble(band.high, 1),
  };
  const same = band === null ? null : samePrompts(counts.samePrompts);
  const engine = {
    slug,
    isWebGrounded: webGrounded[slug],
    date: latest.date,
    ...published,
    isSignificant: isSignificant(published),
    isWarmingUp: band === null,
    noAnswerRate: noAnswer === undefined ? null : noAnswerRate(noAnswer),
    promptsAnswered: latest.promptsAnswered,
    promptsNamed: latest.promptsNamed,
    priorScores: priors.length,
    answers: latest.answers,
    samePrompts: same?.samePrompts ?? null,
    fourWeeks: fourWeeks(scores.length, counts.fourWeeks),
    ...modelsOf(rows.models.filter((row) => row.slug === slug)),
    unbranded: { promptsAnswered: counts.unbrandedAnswered, promptsNamed: counts.unbrandedNamed },
  };
  return { engine, p: same?.p ?? null };
}

/** @param rows of one engine, sorted */
function modelsOf(rows: readonly ModelRow[]): Pick<EngineScore, 'models' | 'modelsChanged'> {
  const modelsIn = (isLatest: boolean) =>
    rows.filter((row) => row.isLatest === isLatest).map(({ model }) => model);
  const models = modelsIn(true);
  return { models, modelsChanged: modelsChanged(models, modelsIn(false)) };
}

function trendOf(scores: readonly ScoreRow[]): Visibility['trend'] {
  const trend: Visibility['trend'] = {};
  for (const row of scores) {
    const { date, promptsAnswered, promptsNamed, answers } = row;
    const point = { date, score: scoreOf(row), promptsAnswered, promptsNamed, answers };
    if (row.inTrend) (trend[row.slug] ??= []).push(point);
  }
  return trend;
}

const noMentions = { positive: 0, neutral: 0, negative: 0, mentions: 0, answersNaming: 0, positionSum: 0n };

/** @param row absent if no answer names the brand */
function signalsOf(row: SignalsRow = noMentions, answers: number): Visibility['signals'] {
  const { positionSum, answersNaming, ...counts } = row;
  const avgPosition = averagePosition(positionSum, answersNaming);
  return { netSentiment: netSentiment(row), ...counts, avgPosition, answers, answersNaming };
}
