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

/** The prompts of an engine's latest score: those that were answered before too, and those without the brand's name. */
interface PromptCountsRow extends SamePromptCounts {
  slug: EngineSlug;
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
  /** One row at most. */
  signals: SignalsRow[];
}

/** The visibility document (methodology, Visibility and Verdicts). */
export const visibility: DocumentSource = async (connection, slice) => {
  const parameters = {
    ...slice,
    trend_size: TREND_SIZE,
    band_scores: MAX_PRIOR_SCORES + 1,
    common: CYCLES_MULTIPLE,
  };
  await makeTable(connection, import.meta, 'engine-score', parameters);
  const select = async <Row>(name: string) =>
    await selectByBrand<Row>(connection, import.meta, name, parameters);
  const scores = await select<ScoreRow>('engine-scores');
  const promptCounts = await select<PromptCountsRow>('prompt-counts');
  const models = await select<ModelRow>('models');
  const events = await select<Visibility['events'][number]>('events');
  const noAnswers = await select<NoAnswerRow>('no-answers');
  const signals = await select<SignalsRow>('signals');
  return (brandNo, brand) => {
    const data = visibilityOf({
      scores: scores(brandNo),
      promptCounts: promptCounts(brandNo),
      models: models(brandNo),
      events: events(brandNo),
      noAnswers: noAnswers(brandNo),
      signals: signals(brandNo),
    });
    return encodeDocument('visibility', { brand, ...data });
  };
};

/** The `data` of the document without its brand. */
export function visibilityOf(rows: Rows): Omit<Visibility, 'brand'> {
  const { scores, noAnswers, signals, events } = rows;
  const perEngine = engineSlugs.flatMap((slug) => {
    const ofEngine = scores.filter((row) => row.slug === slug);
    return ofEngine.length === 0 ? [] : [engineScoreOf(ofEngine, rows)];
  });
  return {
    events,
    overallVisibility: overallVisibility(perEngine),
    perEngine,
    trend: trendOf(scores),
    alerts: alertsOf(perEngine),
    signals: signalsOf(
      signals[0],
      noAnswers.reduce((sum, { answered }) => sum + answered, 0),
    ),
  };
}

/** @param scores of one engine, oldest first; @param rows of all engines */
function engineScoreOf(scores: readonly ScoreRow[], rows: Rows): EngineScore {
  const latest = scores.at(-1)!;
  const { slug } = latest;
  const priors = scores.slice(0, -1).slice(-MAX_PRIOR_SCORES);
  const noAnswer = rows.noAnswers.find((row) => row.slug === slug);
  const { unbrandedAnswered, unbrandedNamed, ...same } = rows.promptCounts.find((row) => row.slug === slug)!;
  const band = driftBand(priors.map(scoreOf), latest.promptsAnswered);
  const published = {
    score: scoreOf(latest),
    bandLow: band === null ? null : roundDouble(band.low, 1),
    bandHigh: band === null ? null : roundDouble(band.high, 1),
  };
  return {
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
    samePrompts: band === null ? null : samePrompts(same),
    ...modelsOf(rows.models.filter((row) => row.slug === slug)),
    unbranded: { promptsAnswered: unbrandedAnswered, promptsNamed: unbrandedNamed },
  };
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
