import { compareText } from '../../methodology/text.ts';
import type { Prompts } from '../prompts.ts';
import { refuseUnlessOrdered } from './rules.ts';
import type { Rule } from './rules.ts';

/** Tags are distinct and sorted (methodology, Verdicts). */
export const tagsAreInOrder: Rule<Prompts> = ({ prompts }, refuse) => {
  for (const [index, { tags }] of prompts.entries()) {
    const path = ['prompts', index, 'tags'];
    refuseUnlessOrdered(tags, (a, b) => compareText(a, b) < 0, path, 'must be distinct and sorted', refuse);
  }
};
