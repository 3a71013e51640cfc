import { z } from 'zod';
import { sourceTypes, SOURCES_SIZE, WINDOW_DAYS } from '../methodology/constants.ts';
import { compareText } from '../methodology/text.ts';
import { refuseRepeats, refuseUnlessBySlug, refuseUnlessOrdered, withRules } from './rules/rules.ts';
import type { Rule } from './rules/rules.ts';
import { brandReference, count, engineSlug } from './shared.ts';

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

const ownSiteOnEngine = z
  .strictObject({
    slug: engineSlug,
    answers: count.min(1).describe('Answers of that engine in the window.'),
    answersCiting: count.describe('Those of them with at least one citation.'),
    answersCitingOwnSite: count.describe("Those of them that cite the brand's own site."),
  })
  .meta({ id: 'OwnSiteOnEngine', description: "How often one engine cites the brand's own site." });

const ownSiteCounts = z
  .strictObject({
    citations: count.describe("Citations of the brand's own site."),
    answers: count.describe('Answers that cite it at least once.'),
    perEngine: z.array(ownSiteOnEngine).describe('Every web-grounded engine with an answer, by slug.'),
  })
  .meta({ id: 'OwnSite', description: "How often the brand's own site is cited." });

const sourcesShape = z.strictObject({
  brand: brandReference,
  sources: z
    .array(citedDomain)
    .max(SOURCES_SIZE)
    .describe(
      `The ${SOURCES_SIZE} domains with the largest gap in the last ${WINDOW_DAYS} days; on a tie, the most cited. Gaps have no interval, so small ones mean nothing. Only web-grounded engines cite sources. A site that is missing here may well be cited: where only its brand is named, its gap is negative, so the better it works, the surer it is cut off.`,
    ),
  answers: count.describe(`Answers of web-grounded engines in the last ${WINDOW_DAYS} days.`),
  answersCiting: count.describe('Those of them with at least one citation.'),
  citations: count.describe('All citations in them.'),
  domains: count.describe('How many distinct domains they cite.'),
  ownSite: ownSiteCounts
    .nullable()
    .describe(
      "How often the brand's own site is cited, whether it is among sources or not. Null if the brand's domain is unreadable.",
    ),
});

export type Sources = z.infer<typeof sourcesShape>;
type Source = Sources['sources'][number];

const isByGap = (a: Source, b: Source) =>
  (b.gap - a.gap || b.count - a.count || compareText(a.domain, b.domain)) <= 0;

const sourcesAreInOrder: Rule<Sources> = ({ sources }, refuse) => {
  const message = 'domains must be by gap, then by citations, most first, then by domain';
  refuseUnlessOrdered(sources, isByGap, ['sources'], message, refuse);
  refuseRepeats(sources, ({ domain }) => domain, ['sources'], 'a domain must be listed once', refuse);
};

const countsAddUp: Rule<Sources> = (
  { sources, answers, answersCiting, domains, citations, ownSite },
  refuse,
) => {
  if (answersCiting > answers) refuse(['answersCiting'], 'must be at most answers');
  if (sources.length > domains) refuse(['domains'], 'must be at least as many as are listed');
  if (ownSite === null) return;
  const sum = (field: 'answers' | 'answersCiting' | 'answersCitingOwnSite') =>
    ownSite.perEngine.reduce((total, engine) => total + engine[field], 0);
  refuseUnlessBySlug(ownSite.perEngine, ['ownSite', 'perEngine'], refuse);
  if (
    sum('answers') !== answers ||
    sum('answersCiting') !== answersCiting ||
    sum('answersCitingOwnSite') !== ownSite.answers ||
    ownSite.citations > citations
  )
    refuse(['ownSite'], 'must add up to the counts of the document');
};

/** The `data` of the sources document (methodology, Sources). */
export const sourcesSchema = withRules(sourcesShape, sourcesAreInOrder, countsAddUp).meta({
  id: 'Sources',
  description: 'The domains cited in answers about a brand and its competitors.',
});
