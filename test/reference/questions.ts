import { add, fraction, nearest, round, roundDouble, studentQuantile } from './number.ts';
import type { Fraction } from './number.ts';
import { engines, webGrounded } from './records.ts';
import type { Run, Tracked } from './records.ts';
import { byText, hostOf } from './text.ts';

// What the methodology adds in its section Questions.

const DAY = 24n * 3600n * 1_000_000n;

/** The prompts that an engine answered in a cycle, and those that named the brand. */
export interface Cycle {
  date: string;
  answered: ReadonlySet<string>;
  named: ReadonlySet<string>;
}

/** Of a prompt in some cycles: those in which it was answered, and those of them that named the brand. */
function countsOf(id: string, cycles: readonly Cycle[]) {
  const answered = cycles.filter((cycle) => cycle.answered.has(id));
  return { answered: answered.length, named: answered.filter((cycle) => cycle.named.has(id)).length };
}

/** @param same ids; @param cycles the latest and the prior ones; @param variance exact */
export function chanceOf(
  same: readonly string[],
  cycles: readonly Cycle[],
  named: number,
  variance: Fraction,
) {
  let chances = [1];
  for (const id of same.toSorted(byText)) {
    const { answered, named: often } = countsOf(id, cycles);
    const share = often / answered;
    const before = chances;
    chances = Array.from({ length: before.length + 1 }, (_, k) => {
      const [stays, grows] = [before[k] ?? 0, before[k - 1] ?? 0];
      return stays * (1 - share) + grows * share;
    });
  }
  let [below, above] = [0, 0];
  for (const [k, chance] of chances.entries()) {
    if (k < named) below += chance;
    if (k > named) above += chance;
  }
  below += chances[named]! / 2;
  above += chances[named]! / 2;
  const p = Math.min(1, 2 * Math.min(below, above));
  const fall = 100 * (2.8 * Math.sqrt(nearest(variance)) + 0.5);
  return {
    p,
    published: {
      pValue: roundDouble(p, 4),
      detectablePp: same.length === 0 ? null : roundDouble(Math.min(100, fall / same.length), 1),
    },
  };
}

/** @param scored all cycles of an engine with a score, oldest first */
export function fourWeeksOf(scored: readonly Cycle[]) {
  if (scored.length < 8) return null;
  const [recent, earlier] = [scored.slice(-4), scored.slice(-13, -4)];
  const inBoth = [...new Set(recent.flatMap((cycle) => [...cycle.answered]))].filter((id) =>
    earlier.some((cycle) => cycle.answered.has(id)),
  );
  const n = inBoth.length;
  if (n < 20) return null;
  let named = 0;
  let [expected, difference, squares] = [fraction(0, 1), fraction(0, 1), fraction(0, 1)];
  for (const id of inBoth) {
    const [now, before] = [countsOf(id, recent), countsOf(id, earlier)];
    const share = fraction((now.named + before.named) * now.answered, now.answered + before.answered);
    const d = add(fraction(now.named, 1), { top: -share.top, bottom: share.bottom });
    named += now.named;
    expected = reduced(add(expected, share));
    difference = reduced(add(difference, d));
    squares = reduced(add(squares, fraction(d.top ** 2n, d.bottom ** 2n)));
  }
  const t = fraction(BigInt(studentQuantile(n - 1).replace('.', '')), 1_000_000);
  const [left, right] = [
    fraction(difference.top ** 2n, difference.bottom ** 2n),
    fraction(t.top ** 2n * BigInt(n) * squares.top, t.bottom ** 2n * BigInt(n - 1) * squares.bottom),
  ];
  const isSignificant = left.top * right.bottom > right.top * left.bottom;
  return { prompts: n, named, expected: round(expected, 1), isSignificant };
}

function reduced({ top, bottom }: Fraction): Fraction {
  let [a, b] = [top < 0n ? -top : top, bottom];
  while (b > 0n) [a, b] = [b, a % b];
  return { top: top / a, bottom: bottom / a };
}

/** The UTC date of ten days before an instant: what is dated after it is of this week. */
function tenDaysBefore(asOf: bigint): string {
  return new Date(Number((asOf - 10n * DAY) / 1000n)).toISOString().slice(0, 10);
}

/** Benjamini and Hochberg at 5 %. */
export function movedOf(
  judged: readonly { slug: string; date: string; p: number | null }[],
  asOf: bigint,
): string[] {
  const ranked = judged
    .filter(({ p, date }) => p !== null && date > tenDaysBefore(asOf))
    .map(({ slug, p }) => ({ slug, p: p! }))
    .toSorted((a, b) => a.p - b.p);
  for (let k = ranked.length; k > 0; k--)
    if (ranked[k - 1]!.p <= (k * 0.05) / ranked.length)
      return ranked
        .slice(0, k)
        .map(({ slug }) => slug)
        .toSorted(byText);
  return [];
}

/** @param runs of the brand, up to the instant */
export function silentOf(runs: readonly Run[], asOf: bigint) {
  return engines.flatMap((slug) => {
    const own = runs.filter((run) => run.engine === slug);
    const lately = own.filter((run) => run.ranAt > asOf - 10n * DAY);
    const isInUse = own.some((run) => run.ranAt > asOf - 60n * DAY);
    if (!isInUse || lately.some((run) => run.status === 'success')) return [];
    const answered = own.filter((run) => run.status === 'success').map((run) => run.cycle);
    return [{ slug, lastAnswered: answered.toSorted().at(-1) ?? null, runs: lately.length }];
  });
}

/** The engines with an answer, each with what is made of its answers. */
function byEngine<T>(answers: readonly Run[], of: (own: Run[]) => T) {
  return engines.flatMap((slug) => {
    const own = answers.filter((run) => run.engine === slug);
    return own.length === 0 ? [] : [{ slug, ...of(own) }];
  });
}

/** @param entries how many mention entries of the row some answers have; @param answers of the window. */
export function rowByEngine(answers: readonly Run[], entries: (some: readonly Run[]) => number) {
  return byEngine(answers, (own) => ({
    mentions: entries(own),
    answersNaming: own.filter((run) => entries([run]) > 0).length,
  }));
}

export function totalsByEngine(answers: readonly Run[], entries: (some: readonly Run[]) => number) {
  return byEngine(answers, (own) => ({ answers: own.length, totalMentions: entries(own) }));
}

/** Of all citations. */
const domains = (some: readonly Run[]) => some.flatMap((run) => run.citations.map(({ url }) => hostOf(url)!));

const citing = (some: readonly Run[]) => some.filter((run) => run.citations.length > 0).length;

/** @param answers the answered runs of the window. */
export function ownSiteOf(brand: Tracked, answers: readonly Run[]) {
  const grounded = answers.filter((run) => webGrounded.includes(run.engine));
  const host = hostOf(brand.domain!);
  const own = (some: readonly Run[]) =>
    domains(some).filter((domain) => domain === host || domain.endsWith(`.${host}`)).length;
  const citingOwn = (some: readonly Run[]) => some.filter((run) => own([run]) > 0).length;
  return {
    answers: grounded.length,
    answersCiting: citing(grounded),
    citations: domains(grounded).length,
    domains: new Set(domains(grounded)).size,
    ownSite:
      host === null
        ? null
        : {
            citations: own(grounded),
            answers: citingOwn(grounded),
            perEngine: byEngine(grounded, (some) => ({
              answers: some.length,
              answersCiting: citing(some),
              answersCitingOwnSite: citingOwn(some),
            })),
          },
  };
}

/** Distinct ones. */
const prompts = (some: readonly Run[]) => new Set(some.map((run) => run.promptId)).size;

/** @param id null: the brand */
const isNamed = (run: Run, id: string | null) =>
  run.mentions.some((m) => (id === null ? m.subject === 'brand' : m.competitorId === id));

/** @param runs of the brand */
export function timelineOf(brand: Tracked, competitors: readonly Tracked[], runs: readonly Run[]) {
  const answers = runs.filter((run) => run.status === 'success');
  const cycles = byEngine(answers, (own) => ({
    own,
    dates: [...new Set(own.map((run) => run.cycle))].toSorted().slice(-104),
  }));
  const names = [
    { id: null, name: brand.name!, isBrand: true },
    ...competitors
      .toSorted((a, b) => byText(a.name!, b.name!) || byText(a.id, b.id))
      .map(({ id, name }) => ({ id, name: name!, isBrand: false })),
  ];
  return {
    engines: cycles.map(({ slug, own, dates }) => {
      const perCycle = dates.map((date) => own.filter((run) => run.cycle === date));
      return {
        slug,
        dates,
        promptsAnswered: perCycle.map(prompts),
        answers: perCycle.map((some) => some.length),
      };
    }),
    names: names.map(({ id, name, isBrand }) => ({
      name,
      isBrand,
      engines: cycles.map(({ slug, own, dates }) => ({
        slug,
        promptsNamed: dates.map((date) =>
          prompts(own.filter((run) => run.cycle === date && isNamed(run, id))),
        ),
      })),
    })),
  };
}
