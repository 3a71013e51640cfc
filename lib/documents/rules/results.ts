import { changeOf } from '../../methodology/results.ts';
import type { Results } from '../results.ts';
import { refuseRepeats, refuseUnlessBySlug } from './rules.ts';
import type { Rule } from './rules.ts';

type EngineResult = Results['prompts'][number]['engines'][number];

/** The rules between the fields of a results document (methodology, Results). */
export const resultsAreSound: Rule<Results> = ({ prompts }, refuse) => {
  refuseRepeats(prompts, (prompt) => prompt.promptId, ['prompts'], 'must be listed once', refuse);
  for (const [index, { engines }] of prompts.entries()) {
    const path = ['prompts', index, 'engines'];
    refuseUnlessBySlug(engines, path, refuse);
    for (const [at, engine] of engines.entries()) {
      for (const [field, message] of complaintsAbout(engine)) refuse([...path, at, field], message);
      const empty = engine.evidence.findIndex(({ url, sha256 }) => url === null && sha256 === null);
      if (empty !== -1) refuse([...path, at, 'evidence', empty], 'must have a url or a sha256');
    }
  }
};

function* complaintsAbout(engine: EngineResult): Generator<[keyof EngineResult, string]> {
  const { date, isNamed, position, previousDate, wasNamed, previousPosition, change } = engine;
  if ((position !== null) !== isNamed) yield ['position', 'must be null if and only if isNamed is false'];
  if (previousDate !== null && previousDate >= date) yield ['previousDate', 'must be before date'];
  if ((wasNamed === null) !== (previousDate === null)) {
    yield ['wasNamed', 'must be null if and only if previousDate is null'];
  }
  if ((previousPosition !== null) !== (wasNamed === true)) {
    yield ['previousPosition', 'must be null if and only if wasNamed is not true'];
  }
  const expected = changeOf(isNamed, wasNamed);
  if (change !== expected) yield ['change', `must be ${expected}, by isNamed and wasNamed`];
}
