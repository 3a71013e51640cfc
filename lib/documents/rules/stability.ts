import { MIN_CYCLES } from '../../methodology/constants.ts';
import { compareText, isFolded } from '../../methodology/text.ts';
import { refuseRepeats, refuseUnlessBySlug, refuseUnlessOrdered } from './rules.ts';
import type { Refuse, Rule } from './rules.ts';
import type { Stability } from '../stability.ts';

type EngineStability = Stability['prompts'][number]['engines'][number];
type Name = EngineStability['core'][number];
type Path = readonly PropertyKey[];

/**
 * The rules between the fields of a stability document (methodology, Stability). They do not compute its numbers again, as
 * those of visibility.
 */
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
  if (isWarmingUp !== cyclesObserved < MIN_CYCLES)
    refuse([...path, 'isWarmingUp'], `must say whether cyclesObserved is below ${MIN_CYCLES}`);
  if ((brandPlacement === 'absent') !== (brandStability === 0))
    refuse([...path, 'brandPlacement'], 'must be absent if and only if brandStability is 0');
  if (brandStability > 0 && ![...core, ...carousel].some(({ stability }) => stability === brandStability))
    refuse([...path, 'brandStability'], 'must be that of one of the names');
}

const isInOrder = (a: Name, b: Name) => (b.stability - a.stability || compareText(a.entity, b.entity)) <= 0;

function namesAreSound({ core, carousel }: EngineStability, path: Path, refuse: Refuse): void {
  const order = 'must come in order: most stable first, then by name';
  refuseUnlessOrdered(core, isInOrder, [...path, 'core'], order, refuse);
  refuseUnlessOrdered(carousel, isInOrder, [...path, 'carousel'], order, refuse);
  const [last, next] = [core.at(-1), carousel[0]];
  if (last !== undefined && next !== undefined && !isInOrder(last, next))
    refuse([...path, 'carousel', 0], `${order}, the core before the carousel`);
  for (const [list, names] of Object.entries({ core, carousel })) {
    for (const [index, { entity, stability }] of names.entries()) {
      if (stability === 0) refuse([...path, list, index], 'must have appeared in a cycle');
      if (!isFolded(entity)) refuse([...path, list, index], 'must have its white space folded and trimmed');
    }
  }
}
