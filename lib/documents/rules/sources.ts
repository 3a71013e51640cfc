import { compareText } from '../../methodology/text.ts';
import { refuseRepeats, refuseUnlessOrdered } from './rules.ts';
import type { Rule } from './rules.ts';
import type { Sources } from '../sources.ts';

type Source = Sources['sources'][number];

const isByGap = (a: Source, b: Source) =>
  (b.gap - a.gap || b.count - a.count || compareText(a.domain, b.domain)) < 0;

/** The rules between the fields of a sources document (methodology, Sources). */
export const sourcesAreInOrder: Rule<Sources> = ({ sources }, refuse) => {
  const message = 'domains must be by gap, then by citations, most first, then by domain';
  refuseUnlessOrdered(sources, isByGap, ['sources'], message, refuse);
  refuseRepeats(sources, (source) => source.domain, ['sources'], 'a domain must be listed once', refuse);
};

export const countsAgree: Rule<Sources> = ({ sources }, refuse) => {
  for (const [index, { count, answers, gap, competitorMentions, brandMentions }] of sources.entries()) {
    if (answers > count) refuse(['sources', index, 'answers'], 'must not be more than count');
    if (gap !== competitorMentions - brandMentions) {
      refuse(['sources', index, 'gap'], 'must be competitorMentions − brandMentions');
    }
  }
};
