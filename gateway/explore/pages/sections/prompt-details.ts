import { engineName, isolatedName } from '../../../../lib/weeks/words.ts';
import type { Results } from '../../../../lib/documents/results.ts';
import type { Stability } from '../../../../lib/documents/stability.ts';
import { resultsThisWeek } from '../../../../lib/weeks/won-lost.ts';
import { markup, nameOf } from '../markup.ts';
import type { Html } from '../markup.ts';
import { link, table } from '../page.ts';
import type { Sheet } from '../parts.ts';
import type { BrandWeek } from '../week.ts';

type Prompt = Results['prompts'][number];
type Result = Prompt['engines'][number];
type Steadiness = Stability['prompts'][number]['engines'][number];

/** What each engine named for a prompt in this week and the one before, who is new, and where the answers are. */
export function promptDetails(
  prompt: Prompt,
  brand: string,
  stabilities: readonly (Stability | null)[],
): Html {
  const named = prompt.engines.map(({ slug }) => namedOn(prompt.promptId, slug, stabilities));
  return table(
    `Who is named for “${isolatedName(prompt.promptText)}”. + is new this week`,
    [
      { name: 'Engine' },
      { name: 'The brand' },
      { name: 'Named this week' },
      { name: 'Named the week before' },
      { name: 'Answers' },
    ],
    prompt.engines.map((result, at) => {
      const { slug, evidence } = result;
      const { names, old } = named[at]!;
      return [
        engineName(slug),
        ownText(result),
        namesOf(names, old, brand),
        namesOf(old, null, brand),
        evidence.length === 0
          ? null
          : markup`${evidence.map(({ url }, index) => markup`${link(url, `answer ${index + 1}`)} `)}`,
      ];
    }),
    { sheet: sheetOfNames(prompt, named), className: 'inner' },
  );
}

/** More names than this are counted, not listed. */
const LISTED = 8;

/** Who is new in the answers in which the brand was named a week before and is not now, the most frequent first. */
export function namedInstead({ results, asOf }: BrandWeek, stabilities: readonly (Stability | null)[]): Html {
  const lost = resultsThisWeek(results, asOf).filter(({ engine }) => engine.change === 'lost');
  const found = lost.map(({ promptId, engine: { slug } }) => {
    const { names, old } = namedOn(promptId, slug, stabilities);
    return names === null || old === null ? null : names.filter((name) => !isIn(old, name));
  });
  const known = found.filter((names) => names !== null);
  if (known.length === 0) return markup`Who was named before is not known for these results.`;
  const byName = [...Map.groupBy(known.flat(), folded).values()].toSorted((a, b) => b.length - a.length);
  const listed = byName
    .slice(0, LISTED)
    .map((same, index) => markup`${index === 0 ? '' : ', '}<b>${nameOf(same[0]!)}</b>\u00a0${same.length}`);
  const rest = byName.slice(LISTED);
  const more = rest.length === 0 ? '' : ` and ${rest.length} more names`;
  const where = `${known.length} of the ${lost.length} lost results`;
  if (byName.length === 0) return markup`On ${where} nobody is new: the answers name fewer.`;
  return markup`New this week on ${where}, and on how many each: ${listed}${more}.`;
}

interface Named {
  /** Null if it is not known. */
  names: string[] | null;
  old: string[] | null;
}

/** @param stabilities of this week and the two before, the newest first */
function namedOn(promptId: string, slug: string, stabilities: readonly (Stability | null)[]): Named {
  const [now, before, earlier] = stabilities.map((document) =>
    document?.prompts
      .find((prompt) => prompt.promptId === promptId)
      ?.engines.find((engine) => engine.slug === slug),
  );
  return { names: namedSince(now, before), old: namedSince(before, earlier) };
}

/** A row for each name on each engine, in this week or the one before. */
function sheetOfNames({ promptId, promptText, engines }: Prompt, named: readonly Named[]): Sheet {
  const rows = engines.flatMap(({ slug, date }, at) => {
    const { names, old } = named[at]!;
    const all = new Map([...(old ?? []), ...(names ?? [])].map((name) => [folded(name), name]));
    return Array.from(all.values(), (name) => [
      promptId,
      promptText,
      slug,
      date,
      name,
      names && isIn(names, name),
      old && isIn(old, name),
    ]);
  });
  return {
    kind: 'sheet',
    name: 'named',
    columns: ['prompt_id', 'prompt_text', 'engine', 'date', 'name', 'is_named', 'was_named'],
    rows,
  };
}

function ownText({ change, position, previousPosition, date }: Result): Html {
  const words = {
    won: `won: position ${position}, not named before`,
    lost: `lost: was at position ${previousPosition}`,
    kept: `position ${position}, was ${previousPosition}`,
    absent: 'not named, nor before',
    new: position === null ? 'not named; first time asked' : `position ${position}; first time asked`,
  };
  return markup`${words[change]} <small class="date">${date}</small>`;
}

/**
 * The names in the answers of the one cycle by which a week is longer than an earlier one: those that were named in one more
 * cycle. Null if there is no such cycle, or more than one.
 */
export function namedSince(now: Steadiness | undefined, before: Steadiness | undefined): string[] | null {
  if (now === undefined || now.cyclesObserved - (before?.cyclesObserved ?? 0) !== 1) return null;
  const counted = (engine: Steadiness | undefined) =>
    [...(engine?.core ?? []), ...(engine?.carousel ?? [])].map(({ entity, stability }) => ({
      entity,
      cycles: Math.round(stability * engine!.cyclesObserved),
    }));
  const old = new Map(counted(before).map(({ entity, cycles }) => [folded(entity), cycles]));
  return counted(now)
    .filter(({ entity, cycles }) => cycles > (old.get(folded(entity)) ?? 0))
    .map(({ entity }) => entity);
}

function isIn(names: readonly string[], name: string): boolean {
  return names.some((each) => folded(each) === folded(name));
}

/** The documents of two weeks may write a name in two ways. */
function folded(name: string): string {
  return name.toLowerCase();
}

function namesOf(
  names: readonly string[] | null,
  before: readonly string[] | null,
  brand: string,
): Html | null {
  if (names === null) return null;
  if (names.length === 0) return markup`nobody`;
  const each = names.map((name, index) => {
    const isNew = before !== null && !isIn(before, name);
    const text = markup`${isNew ? '+\u00a0' : ''}${nameOf(name)}`;
    const shown =
      folded(name) === folded(brand)
        ? markup`<strong>${text}</strong>`
        : isNew
          ? markup`<b class="new">${text}</b>`
          : text;
    return markup`${index === 0 ? '' : ', '}${shown}`;
  });
  return markup`${each}`;
}
