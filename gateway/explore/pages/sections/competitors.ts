import { engineName, isolatedName, leadingRows, standingInWords } from '../../../../lib/weeks/words.ts';
import type { Competitors } from '../../../../lib/documents/competitors.ts';
import { WINDOW_DAYS } from '../../../../lib/methodology/constants.ts';
import { markup, nameOf, withNames } from '../markup.ts';
import type { Html } from '../markup.ts';
import { chart, sheetButtons, table } from '../page.ts';
import type { Cell } from '../page.ts';
import { sheetOf } from '../sheets.ts';
import { rivalsChart } from '../week.ts';
import type { BrandWeek } from '../week.ts';

type Row = Competitors['shareOfVoice'][number];

/** A longer chart would not fit on a printed page. */
const DRAWN_NAMES = 25;

/** The brand among its rivals: this week with 95 % intervals, over a year, and engine by engine. */
export function competitorsSection(week: BrandWeek): Html {
  const { competitors } = week;
  const { brand, totalMentions, shareOfVoice, answers } = competitors;
  const standing = sentence(standingInWords(brand.name, competitors));
  if (totalMentions === 0 || shareOfVoice.length < 2)
    return markup`<section class="card" id="rivals"><h3>Share of voice</h3>
      <p>${withNames(standing)}</p></section>`;
  const leading = new Set(leadingRows(competitors));
  const rivals = rivalsChart(week);
  return markup`<section class="card" id="rivals"><h3>Share of voice</h3>
    <p>
      ${withNames(standing)} Of ${totalMentions} mentions in ${answers} answers in the last ${WINDOW_DAYS} days. ${ruleOf(competitors)}
    </p>
    <div class="pair">
      <figure>
        <figcaption><b>These ${WINDOW_DAYS} days</b> share of all mentions, with 95 % intervals</figcaption>
        ${sharesOf(competitors)}
      </figure>
      <figure>
        <figcaption><b>Over time</b> prompts that name each, all engines, %</figcaption>
        ${chart(rivals)} ${sheetButtons(rivals.title, sheetOf('timeline', week))}
      </figure>
    </div>
    ${table(
      `Share of voice of ${isolatedName(brand.name)} and its competitors`,
      [
        { name: 'Name' },
        { name: 'Share, %', isNumber: true },
        { name: '95 % interval', isNumber: true },
        { name: 'Mentions', isNumber: true },
        { name: 'Answers naming, %', isNumber: true },
        { name: 'Behind the first, points', isNumber: true },
        { name: 'Reading' },
      ],
      shareOfVoice.map((row) => [
        nameCell(row),
        row.sovPct,
        `${row.lowPct} to ${row.highPct}`,
        row.mentions,
        presenceText(row),
        gapText(row),
        leading.has(row) ? (leading.size === 1 ? 'leads' : 'tied for the lead') : 'behind',
      ]),
      { sheet: sheetOf('share_of_voice', week) },
    )}
    ${enginesTable(week)}
  </section>`;
}

function nameCell({ isBrand, name }: Row): Cell {
  return isBrand ? markup`<strong>${nameOf(name)}</strong>` : name;
}

/** The share of each row on each engine. Small differences there mean nothing, so it has no verdict. */
function enginesTable(week: BrandWeek): Html {
  const { brand, perEngine, shareOfVoice } = week.competitors;
  return table(
    `Share of voice by engine, %: mentions of ${isolatedName(brand.name)} and its competitors on each. These have no interval`,
    [{ name: 'Name' }, ...perEngine.map(({ slug }) => ({ name: engineName(slug), isNumber: true }))],
    shareOfVoice.map((row) => [
      nameCell(row),
      ...row.perEngine.map(({ mentions }, at): Cell => {
        const { totalMentions } = perEngine[at]!;
        if (totalMentions === 0) return null;
        return { shown: ((100 * mentions) / totalMentions).toFixed(1), by: mentions / totalMentions };
      }),
    ]),
    { sheet: sheetOf('share_of_voice_by_engine', week), className: 'matrix' },
  );
}

/** Which verdict the reading follows. Shares within the noise floor may well differ prompt by prompt. */
function ruleOf({ leadersByPrompt, noiseFloorPp }: Competitors): string {
  return leadersByPrompt === null
    ? `Ties are judged by the intervals of the shares: too few prompts to compare prompt by prompt. Shares closer than ${noiseFloorPp} percentage points have no order.`
    : 'Ties are judged prompt by prompt.';
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function presenceText({ presencePct, presenceLowPct, presenceHighPct }: Row): string {
  return `${presencePct} (${presenceLowPct} to ${presenceHighPct})`;
}

function gapText({ behindLeader: gap }: Row): string | null {
  return gap === null ? null : `${gap.gapPp} (${gap.lowPp} to ${gap.highPp})`;
}

function sharesOf({ brand, shareOfVoice }: Competitors): Html {
  const ownBelow = shareOfVoice.slice(DRAWN_NAMES).filter(({ isBrand }) => isBrand);
  return chart({
    kind: 'shares',
    title: `Share of voice of ${brand.name} and its competitors, with 95 % intervals`,
    rows: shareOfVoice
      .slice(0, DRAWN_NAMES)
      .concat(ownBelow)
      .map(({ name, lowPct, sovPct, highPct, isBrand }) => ({
        name,
        low: lowPct,
        value: sovPct,
        high: highPct,
        isBrand,
      })),
  });
}
