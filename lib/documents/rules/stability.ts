import { CORE_PERCENT, CORE_SIZE, MIN_CYCLES } from '../../methodology/constants.ts';
import { placementOf, stabilityOf } from '../../methodology/stability.ts';
import { compareText, isFolded } from '../../methodology/text.ts';
import { refuseRepeats, refuseUnlessBySlug } from './rules.ts';
import type { Refuse, Rule } from './rules.ts';
import type { Stability } from '../stability.ts';

type EngineStability = Stability['prompts'][number]['engines'][number];
type Path = readonly PropertyKey[];

/** The rules between the fields of a stability document (methodology, Stability). */
export const placementsAreSound: Rule<Stability> = ({ prompts }, refuse) => {
  refuseRepeats(prompts, (prompt) => prompt.promptId, ['prompts'], 'a prompt must appear once', refuse);
  for (const [index, { engines }] of prompts.entries()) {
    const path = ['prompts', index, 'engines'];
    refuseUnlessBySlug(engines, path, refuse);
    for (const [at, engine] of engines.entries()) {
      brandIsSound(engine, [...path, at], refuse);
      namesAreSound(engine, [...path, at], refuse);
    }
  }
};

function brandIsSound(engine: EngineStability, path: Path, refuse: Refuse): void {
  const { cyclesObserved, brandStability, brandPlacement, isWarmingUp, core, carousel } = engine;
  if (isWarmingUp !== cyclesObserved < MIN_CYCLES) {
    refuse([...path, 'isWarmingUp'], `must say whether cyclesObserved is below ${MIN_CYCLES}`);
  }
  const cycles = cyclesOf(brandStability, cyclesObserved);
  if (cycles === null) return refuse([...path, 'brandStability'], notAShare(cyclesObserved));
  const placement = placementOf(cycles, cyclesObserved);
  if (brandPlacement !== placement) {
    refuse([...path, 'brandPlacement'], `must be ${placement} for ${cycles} of ${cyclesObserved} cycles`);
  }
  const isThere = core.some(isAsStable) || carousel.some(isAsStable);
  if (cycles > 0 && !isThere) refuse([...path, 'brandStability'], 'must be that of one of the names');
  function isAsStable(name: { stability: number }): boolean {
    return name.stability === brandStability;
  }
}

function namesAreSound(engine: EngineStability, path: Path, refuse: Refuse): void {
  const { cyclesObserved, core, carousel } = engine;
  const isCoreFull = core.length === CORE_SIZE;
  let previous = { entity: '', stability: Infinity };
  for (const [list, names] of [['core', core] as const, ['carousel', carousel] as const]) {
    for (const [index, name] of names.entries()) {
      const complaint = complaintAbout(name, previous, list, cyclesObserved, isCoreFull);
      if (complaint !== null) refuse([...path, list, index], complaint);
      previous = name;
    }
  }
}

type Name = EngineStability['core'][number];

function complaintAbout(
  name: Name,
  previous: Name,
  list: 'core' | 'carousel',
  observed: number,
  isCoreFull: boolean,
): string | null {
  const cycles = cyclesOf(name.stability, observed);
  if (cycles === null || cycles === 0) return `stability ${notAShare(observed)}, and not 0`;
  const isDurable = placementOf(cycles, observed) === 'core';
  if (list === 'core' && !isDurable)
    return `must appear in ${CORE_PERCENT} % of the cycles to be in the core`;
  if (list === 'carousel' && isDurable && !isCoreFull) return 'must be in the core, which has room';
  const isInOrder =
    previous.stability > name.stability ||
    (previous.stability === name.stability && compareText(previous.entity, name.entity) <= 0);
  if (!isInOrder) return 'must come in order: most stable first, then by name, the core before the carousel';
  return isFolded(name.entity) ? null : 'must have its white space folded and trimmed';
}

/**
 * The number of cycles behind a share; null if no whole number gives it. Four decimals are unambiguous below 5,000
 * cycles, which is a century of weeks.
 */
function cyclesOf(stability: number, observed: number): number | null {
  const cycles = Math.round(stability * observed);
  return stabilityOf(cycles, observed) === stability ? cycles : null;
}

function notAShare(observed: number): string {
  return `must be a share of ${observed} cycles, to four decimals`;
}
