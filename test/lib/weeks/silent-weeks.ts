import type { BrandWeek } from '../../../gateway/explore/pages/week.ts';
import type { Results } from '../../../lib/documents/results.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { dateOf, engines, weekOf } from '../../snapshots/weeks.ts';

const steady = { named: [10, 10, 10], mentions: [50, 40, 30] };
const fallen = { ...steady, named: [0, 10, 10] };
const lastCycle = 8;
const week = weekOf([...Array.from({ length: lastCycle }, () => steady), fallen]);
const before = weekOf(Array.from({ length: lastCycle - 1 }, () => steady));

/** Every engine with a score won its prompt. */
function resultsOf({ brand, perEngine }: Visibility): Results {
  return {
    brand,
    prompts:
      perEngine.length === 0
        ? []
        : [
            {
              promptId: brand.id,
              promptText: 'Which?',
              engines: perEngine.map(({ slug, date }) => ({
                slug,
                date,
                isNamed: true,
                position: 1,
                previousDate: dateOf(0),
                wasNamed: false,
                previousPosition: null,
                change: 'won',
                evidence: [],
              })),
            },
          ],
  };
}

/** A week, of whose engines these gave no answer in it; their scores are of two weeks before. */
export function weekWithout(
  silent: readonly string[],
  lastAnswered: string | null = dateOf(lastCycle - 2),
): BrandWeek {
  const { brand, perEngine, trend, moved, ...rest } = week.documents.visibility;
  const old = before.documents.visibility;
  const isSilent = ({ slug }: { slug: string }) => silent.includes(slug);
  const engineScores = perEngine
    .filter((engine) => lastAnswered !== null || !isSilent(engine))
    .map((engine) => (isSilent(engine) ? old.perEngine.find(({ slug }) => slug === engine.slug)! : engine));
  const visibility: Visibility = {
    ...rest,
    brand,
    perEngine: engineScores,
    alerts: engineScores
      .filter(({ isSignificant }) => isSignificant)
      .map(({ slug, score }) => ({ slug, score })),
    trend: Object.fromEntries(
      Object.entries(trend).flatMap(([slug, points]) => {
        if (!isSilent({ slug })) return [[slug, points]];
        return lastAnswered === null ? [] : [[slug, old.trend[slug as keyof typeof trend]!]];
      }),
    ),
    moved: moved.filter((slug) => !isSilent({ slug })),
    silent: engines.filter((slug) => isSilent({ slug })).map((slug) => ({ slug, lastAnswered, runs: 20 })),
  };
  const { competitors, sources, stability, prompts } = week.documents;
  const scored = engineScores.map(({ slug }) => [slug, visibility.trend[slug]!] as const);
  const timeline = {
    brand,
    engines: scored.map(([slug, points]) => ({
      slug,
      dates: points.map(({ date }) => date),
      promptsAnswered: points.map(({ promptsAnswered }) => promptsAnswered),
      answers: points.map(({ answers }) => answers),
    })),
    names: [
      {
        name: brand.name,
        isBrand: true,
        engines: scored.map(([slug, points]) => ({
          slug,
          promptsNamed: points.map(({ promptsNamed }) => promptsNamed),
        })),
      },
    ],
  };
  return {
    brand,
    asOf: week.asOf,
    visibility,
    competitors,
    results: resultsOf(visibility),
    stability,
    sources,
    prompts,
    timeline,
  };
}

const [first, second, third] = engines as [string, string, string];
/** What is the matter, the week, and its silent engines. */
export const silentWeeks: [string, BrandWeek, readonly string[]][] = [
  ['one engine is silent', weekWithout([second]), [second]],
  ['the engine that moved is silent', weekWithout([first]), [first]],
  ['two engines are silent', weekWithout([first, third]), [first, third]],
  ['every engine is silent', weekWithout(engines), engines],
  ['one engine never answered', weekWithout([second], null), [second]],
  ['no engine ever answered', weekWithout(engines, null), engines],
];
