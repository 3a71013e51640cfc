import { engineName, isolatedName, leadingRows, standingInWords } from '../../../../lib/weeks/words.ts';
import type { Competitors } from '../../../../lib/documents/competitors.ts';
import { WINDOW_DAYS } from '../../../../lib/methodology/constants.ts';
import { intervalChart } from '../charts.ts';
import { markup, nameOf, withNames } from '../markup.ts';
import type { Html } from '../markup.ts';
import { table } from '../page.ts';

type Row = Competitors['shareOfVoice'][number];

/** The number of names that fit on a printed page next to the chart. */
const PRINTED_NAMES = 40;
/** A longer chart would not fit on a printed page. */
const DRAWN_NAMES = 25;

/** Share of voice with its 95 % intervals, and the numbers in a table. */
export function competitorsSection(document: Competitors): Html {
  const { brand, totalMentions, shareOfVoice, answers } = document;
  const standing = sentence(standingInWords(brand.name, document));
  if (totalMentions === 0 || shareOfVoice.length < 2)
    return markup`<h3>Share of voice</h3>
      <p>${withNames(standing)}</p>`;
  const leading = new Set(leadingRows(document));
  return markup`<h3>Share of voice</h3>
    <p>
      ${withNames(standing)} Of ${totalMentions} mentions in ${answers} answers in the last ${WINDOW_DAYS} days. ${ruleOf(document)}
    </p>
    <figure>${shareChart(document)}</figure>
    ${table(
      `Share of voice of ${isolatedName(brand.name)} and its competitors`,
      [
        { name: 'Name' },
        { name: 'Mentions', isNumber: true },
        { name: 'Share, %', isNumber: true },
        { name: '95 % interval', isNumber: true },
        { name: 'Answers naming, %', isNumber: true },
        { name: 'Behind the first, points', isNumber: true },
        { name: 'Reading' },
      ],
      shareOfVoice.map((row) => [
        row.isBrand ? markup`<strong>${nameOf(row.name)}</strong>` : row.name,
        row.mentions,
        row.sovPct,
        `${row.lowPct} to ${row.highPct}`,
        presenceText(row),
        gapText(row),
        leading.has(row) ? (leading.size === 1 ? 'leads' : 'tied for the lead') : 'behind',
      ]),
      { printedRows: PRINTED_NAMES },
    )}
    ${enginesTable(document)}`;
}

/** The answers that name each row, engine by engine. */
function enginesTable({ brand, perEngine, shareOfVoice }: Competitors): Html {
  return markup`<details class="screen">
    <summary>Engine by engine</summary>
    ${table(
      `Answers that name ${isolatedName(brand.name)} and its competitors, by engine`,
      [
        { name: 'Name' },
        ...perEngine.map(({ slug, answers }) => ({
          name: `${engineName(slug)}, of ${answers}`,
          isNumber: true,
        })),
      ],
      shareOfVoice.map((row) => [
        row.isBrand ? markup`<strong>${nameOf(row.name)}</strong>` : row.name,
        ...row.perEngine.map(({ answersNaming }) => answersNaming),
      ]),
    )}
  </details>`;
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

function shareChart({ brand, shareOfVoice }: Competitors): Html {
  const drawn = shareOfVoice.filter((row, index) => row.isBrand || index < DRAWN_NAMES);
  return intervalChart(
    {
      title: `Share of voice of ${brand.name} and its competitors, with 95 % intervals`,
      description: drawn.map((row) => `${row.name} ${row.sovPct} %`).join(', '),
    },
    drawn.map(({ name, lowPct, sovPct, highPct, isBrand }) => ({
      name,
      low: lowPct,
      value: sovPct,
      high: highPct,
      isBrand,
    })),
  );
}
