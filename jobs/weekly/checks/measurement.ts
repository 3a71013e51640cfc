import type { Visibility } from '../../../lib/documents/visibility.ts';
import type { EngineSlug } from '../../../lib/methodology/constants.ts';

export const measurementKinds = ['runs_per_prompt', 'models'] as const;

/**
 * A brand's engine that was measured otherwise in its newest week than in the week before. Its score may move for that
 * reason alone.
 */
export interface MeasurementChange {
  workspaceId: string;
  brandId: string;
  brand: string;
  engine: EngineSlug;
  /** What changed: the answers for each prompt, by more than a fifth, or the models that gave them. */
  kind: (typeof measurementKinds)[number];
  /** Runs per prompt with one decimal, or models. Null for models: the document only says that they differ. */
  before: string | null;
  after: string;
}

type EngineScore = Visibility['perEngine'][number];
type Point = Pick<EngineScore, 'date' | 'answers' | 'promptsAnswered'>;

const DAY_MS = 86_400_000;

/** @param asOf an older cycle than its last seven days was reported before */
export function measurementChanges(
  workspaceId: string,
  { brand, perEngine, trend }: Visibility,
  asOf: string,
): MeasurementChange[] {
  const newest = perEngine.filter(({ date }) => Date.parse(asOf) - Date.parse(date) < 7 * DAY_MS);
  return newest.flatMap((engine) => {
    const of = { workspaceId, brandId: brand.id, brand: brand.name, engine: engine.slug };
    const before = trend[engine.slug]?.findLast(({ date }) => date < engine.date);
    const changes: MeasurementChange[] = [];
    if (before !== undefined && isMoreThanAFifth(before, engine))
      changes.push({ ...of, kind: 'runs_per_prompt', before: runsOf(before), after: runsOf(engine) });
    if (engine.modelsChanged === true)
      changes.push({ ...of, kind: 'models', before: null, after: engine.models.join(', ') });
    return changes;
  });
}

/** Whole numbers: exact. */
function isMoreThanAFifth(before: Point, after: Point): boolean {
  const [was, is] = [before.answers * after.promptsAnswered, after.answers * before.promptsAnswered];
  return 5 * Math.abs(is - was) > was;
}

function runsOf({ answers, promptsAnswered }: Point): string {
  return (answers / promptsAnswered).toFixed(1);
}
