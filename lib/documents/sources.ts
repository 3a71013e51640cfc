import { z } from 'zod';
import { sourceTypes, SOURCES_SIZE, WINDOW_DAYS } from '../methodology/constants.ts';
import { compareText } from '../methodology/text.ts';
import { refuseRepeats, refuseUnlessOrdered, withRules } from './rules/rules.ts';
import type { Rule } from './rules/rules.ts';
import { brandReference, count } from './shared.ts';

// A host as methodology reads it: no white space and none of / ? # : @ [ ] %, or an IPv6 address in brackets.
const HOST = /^(?:[^\p{Z}\t-\r\u0085/?#:@[\]%]+|\[[0-9a-f:.]+\])$/u;

const citedDomain = z
  .strictObject({
    domain: z
      .string()
      .refine((host) => HOST.test(host), 'expected a host')
      .describe('The cited host, without www.'),
    count: z
      .number()
      .int()
      .min(1)
      .describe(`Citations of the domain in the successful runs of the last ${WINDOW_DAYS} days.`),
    sourceType: z.enum(sourceTypes).describe("The most common classification of the domain's citations."),
    competitorMentions: count.describe(
      'Mentions of competitors in the answers that cite the domain; an answer counts once.',
    ),
    brandMentions: count.describe(
      'Mentions of the brand in the answers that cite the domain; an answer counts once.',
    ),
    gap: z
      .number()
      .int()
      .describe(
        'competitorMentions − brandMentions; may be negative. It has no interval: small gaps mean nothing.',
      ),
    answers: z
      .number()
      .int()
      .min(1)
      .describe(`Answers of web-grounded engines in the last ${WINDOW_DAYS} days that cite the domain.`),
    isOwnDomain: z.boolean().describe("True if the domain is the brand's own site."),
  })
  .meta({ id: 'Source', description: 'A domain that web-grounded engines cite.' });

const sourcesShape = z.strictObject({
  brand: brandReference,
  sources: z
    .array(citedDomain)
    .max(SOURCES_SIZE)
    .describe(
      `The ${SOURCES_SIZE} domains with the largest gap in the last ${WINDOW_DAYS} days; on a tie, the most cited. Gaps have no interval, so small ones mean nothing. Only web-grounded engines cite sources.`,
    ),
});

export type Sources = z.infer<typeof sourcesShape>;
type Source = Sources['sources'][number];

const isByGap = (a: Source, b: Source) =>
  (b.gap - a.gap || b.count - a.count || compareText(a.domain, b.domain)) < 0;

const sourcesAreInOrder: Rule<Sources> = ({ sources }, refuse) => {
  const message = 'domains must be by gap, then by citations, most first, then by domain';
  refuseUnlessOrdered(sources, isByGap, ['sources'], message, refuse);
  refuseRepeats(sources, ({ domain }) => domain, ['sources'], 'a domain must be listed once', refuse);
};

/** The `data` of the sources document (methodology, Sources). */
export const sourcesSchema = withRules(sourcesShape, sourcesAreInOrder).meta({
  id: 'Sources',
  description: 'The domains cited in answers about a brand and its competitors.',
});
