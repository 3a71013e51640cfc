import type { BrandInWeek, Week } from '../../../../lib/documents/week.ts';
import { readingInWeek, urgentFirst } from '../../../../lib/weeks/facts-in-words.ts';
import { engineName } from '../../../../lib/weeks/names.ts';
import { isOfWeek } from '../../../../lib/weeks/readings.ts';
import { markup, nameOf } from '../markup.ts';
import type { Html } from '../markup.ts';
import { chip, table } from '../page.ts';
import type { Cell } from '../page.ts';
import type { Sheet } from '../parts.ts';
import { isCounted, silentGroups, wasText } from '../week.ts';

type Engine = BrandInWeek['engines'][number];

/** How often chance alone is reported as a movement (docs/methodology.md). */
export const falseAlarms =
  'A brand’s engines are judged together: in a week without any change, one is called moved by chance in 5 % of weeks. An alert that did not move is possibly chance. Nothing controls how often that happens over many weeks.';

/** What the glance is about. */
export interface GlanceWeeks {
  week: Week;
  /** The week that it is compared with, and its name; null if there is none, or it is not loaded. */
  before: { week: Week; name: string } | null;
  /** The address of a brand's page. */
  addressOf: (brandId: string) => string;
}

/**
 * The week of all brands as a list of work: what needs attention in three lines, then a row for each brand, those with a
 * silent engine or a change on top.
 */
export function glance({ week, before, addressOf }: GlanceWeeks): Html {
  const asOf = week.asOf!;
  const ordered = urgentFirst(week.brands);
  const earlier = new Map(before?.week.brands.map((each) => [each.brand.id, each]));
  return markup`<section aria-labelledby="all-brands">
    <h2 id="all-brands">All brands</h2>
    ${summary(ordered, asOf, addressOf)}
    ${table(
      `Brands, ${before === null ? '' : `compared with the ${before.name}, `}most urgent first`,
      [
        { name: 'Brand' },
        { name: 'What needs attention' },
        { name: 'Visibility, %', isNumber: true },
        { name: 'Share of voice, %', isNumber: true },
        { name: 'Rank', isNumber: true },
        { name: 'Own site cited', isNumber: true },
      ],
      ordered.map((facts, index) => rowOf(facts, index, asOf, earlier.get(facts.brand.id), addressOf)),
      { sheet: sheetOfWeek(week), isSortable: true, className: 'glance' },
    )}
    <p class="soft">Own site cited: citations of the brand’s site in 14 days. ${falseAlarms}</p>
  </section>`;
}

function summary(brands: readonly BrandInWeek[], asOf: string, addressOf: GlanceWeeks['addressOf']): Html {
  const withSigns = brands.map((facts) => ({ facts, signs: signsOf(facts, asOf) }));
  const lineOf = (kind: 'silent' | 'moved' | 'lasting', words: string) => {
    const found = withSigns.filter(({ signs }) => signs.some((sign) => sign.kind === kind));
    if (found.length === 0) return null;
    const names = found
      .slice(0, LISTED)
      .map(
        ({ facts: { brand } }, index) =>
          markup`${index === 0 ? '' : ', '}<a href="${addressOf(brand.id)}">${nameOf(brand.name)}</a>`,
      );
    const more = found.length > LISTED ? ` and ${found.length - LISTED} more` : '';
    return markup`<li>${chip(kind, `${found.length} ${kind}`)} ${words}: ${names}${more}</li>`;
  };
  const lines = [
    lineOf('silent', 'engines that gave no answer lately'),
    lineOf('moved', 'more than chance usually causes'),
    lineOf('lasting', 'four weeks together that differ from those before'),
  ].filter((line) => line !== null);
  const calm = withSigns.filter(({ signs }) =>
    signs.every(({ kind }) => kind === 'calm' || kind === 'chance'),
  );
  const isAllCalm = calm.length === brands.length;
  return markup`<ul class="summary">
    ${lines}
    <li>
      ${chip('calm', isAllCalm ? 'nothing moved' : `${calm.length} calm`)}
      ${isAllCalm ? 'No brand moved beyond its usual range.' : `of ${brands.length} brands need no attention.`}
    </li>
  </ul>`;
}

/** More names than this are counted, not listed. */
const LISTED = 3;

interface Sign {
  kind: 'silent' | 'moved' | 'lasting' | 'chance' | 'calm';
  label: string;
  text: string;
}

/** What is to be said about a brand, the most urgent first; one calm sign if nothing is. */
function signsOf(facts: BrandInWeek, asOf: string, earlier?: BrandInWeek): Sign[] {
  const { engines, moved, silent } = facts;
  const read = (reading: string) =>
    engines.filter((engine) => readingInWeek(engine, facts, asOf) === reading);
  const has = (reading: string) => read(reading).length > 0;
  const signs: Sign[] = [
    ...silentGroups(silent, asOf).map(({ text }): Sign => ({ kind: 'silent', label: 'silent', text })),
    ...read('moved').map((engine): Sign => ({
      kind: 'moved',
      label: 'moved',
      text: countsOf(engine, earlier),
    })),
    ...engines
      // If the newest week alone moved so far, nothing says yet that it lasts.
      .filter(({ isLasting, slug }) => isLasting && !moved.includes(slug))
      .filter(({ slug }) => !silent.some((each) => each.slug === slug))
      .map((engine): Sign => ({
        kind: 'lasting',
        label: 'lasting',
        text: `${engineName(engine.slug)}: the last four weeks together`,
      })),
    ...read('possibly chance').map((engine): Sign => ({
      kind: 'chance',
      label: 'possibly chance',
      text: countsOf(engine, earlier),
    })),
  ];
  if (signs.length > 0) return signs;
  if (engines.length === 0) return [{ kind: 'calm', label: 'no answers yet', text: '' }];
  if (has('as usual')) return [{ kind: 'calm', label: 'as usual', text: '' }];
  const label = has('warming up') ? 'warming up' : 'no answers this week';
  return [{ kind: 'calm', label, text: '' }];
}

/** `ChatGPT 33.3 → 58.3 %, named in 14 of 24 prompts`, without the earlier score if that is not known. */
function countsOf(
  { slug, score, date, promptsNamed, promptsAnswered }: Engine,
  earlier?: BrandInWeek,
): string {
  const was = earlier?.engines.find((engine) => engine.slug === slug && engine.date < date);
  const from = was === undefined || was.score === score ? '' : `${was.score} → `;
  return `${engineName(slug)} ${from}${score}\u00a0%, named in ${promptsNamed} of ${promptsAnswered} prompts`;
}

function rowOf(
  facts: BrandInWeek,
  index: number,
  asOf: string,
  earlier: BrandInWeek | undefined,
  addressOf: GlanceWeeks['addressOf'],
): Cell[] {
  const { brand, overallVisibility, engines, shareOfVoice, ownSite } = facts;
  const signs = signsOf(facts, asOf, earlier);
  const was = earlier?.shareOfVoice;
  const hasShare = isCounted(shareOfVoice);
  return [
    { shown: markup`<a href="${addressOf(brand.id)}">${nameOf(brand.name)}</a>`, by: brand.name },
    {
      shown: markup`<ul class="signs">
        ${signs.map(({ kind, label, text }) => markup`<li>${chip(kind, label)} ${text}</li>`)}
      </ul>`,
      by: index,
    },
    numberCell(
      engines.some(({ date }) => isOfWeek(date, asOf)) ? overallVisibility : null,
      earlier?.engines.length === 0 ? null : earlier?.overallVisibility,
      1,
    ),
    numberCell(
      hasShare ? shareOfVoice.sovPct : null,
      was === undefined || was.totalMentions === 0 ? null : was.sovPct,
      1,
    ),
    hasShare ? rankCell(shareOfVoice) : null,
    numberCell(ownSite?.citations ?? null, earlier?.ownSite?.citations),
  ];
}

/** The digits of a column stand below each other, and so do those of the other week. */
function numberCell(now: number | null, before: number | null | undefined, decimals = 0): Cell {
  if (now === null) return null;
  const was = wasText(before?.toFixed(decimals), now.toFixed(decimals));
  return {
    shown: markup`${now.toFixed(decimals)}${was === null ? null : markup` <small>${was}</small>`}`,
    by: now,
  };
}

/** A rank may be chance: the names that cannot be told apart are said. */
function rankCell({ rank, names, leaders, leadersByPrompt }: BrandInWeek['shareOfVoice']): Cell {
  const leading = leadersByPrompt ?? leaders;
  const isTied = rank <= leading.length && leading.length > 1;
  const note = isTied
    ? markup` <small>${leading.length} tied</small>`
    : rank === 1
      ? markup` <small>leads</small>`
      : null;
  return { shown: markup`${rank} of ${names}${note}`, by: rank };
}

function sheetOfWeek({ asOf, brands }: Week): Sheet {
  return {
    kind: 'sheet',
    name: 'all_brands',
    columns: [
      'as_of',
      'brand_id',
      'brand_name',
      'overall_visibility',
      'engines_moved',
      'engines_silent',
      'engines_lasting',
      'sov_pct',
      'mentions',
      'rank',
      'names',
      'prompts_won',
      'prompts_lost',
      'own_site_citations',
      'own_site_answers',
    ],
    rows: brands.map(
      ({ brand, overallVisibility, moved, silent, engines, shareOfVoice, results, ownSite }) => [
        asOf,
        brand.id,
        brand.name,
        overallVisibility,
        moved.join('; ') || null,
        silent.map(({ slug }) => slug).join('; ') || null,
        engines
          .filter(({ isLasting }) => isLasting)
          .map(({ slug }) => slug)
          .join('; ') || null,
        shareOfVoice.sovPct,
        shareOfVoice.mentions,
        shareOfVoice.rank,
        shareOfVoice.names,
        results.won,
        results.lost,
        ownSite?.citations ?? null,
        ownSite?.answers ?? null,
      ],
    ),
  };
}
