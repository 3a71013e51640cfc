import type { Competitors } from '../../lib/documents/competitors.ts';
import { WINDOW_DAYS } from '../../lib/methodology/constants.ts';
import { markup } from '../html/html.ts';
import type { Html } from '../html/html.ts';
import { table } from '../html/page.ts';
import { drawChart } from './chart.ts';

/** The number of names that fit on a printed page next to the chart. */
const PRINTED_NAMES = 40;
/** A longer chart would not fit on a printed page. */
const DRAWN_NAMES = 25;

/** Share of voice with its 95 % intervals, and the numbers in a table. */
export async function competitorsSection(document: Competitors): Promise<Html> {
  const { brand, totalMentions, noiseFloorPp, leaders } = document;
  const answers: number | undefined = document.answers; // older snapshots have none
  if (totalMentions === 0) {
    return markup`<h3>Share of voice</h3>
      <p>Neither the brand nor a competitor was mentioned in the last ${WINDOW_DAYS} days.</p>`;
  }
  const lead =
    leaders.length === 1 ? `${leaders[0]} leads.` : `No name leads: ${leaders.join(', ')} are tied.`;
  return markup`<h3>Share of voice</h3>
    <p>
      ${lead} Of ${totalMentions} mentions${answers === undefined ? '' : ` in ${answers} answers`} in the last ${WINDOW_DAYS} days; shares closer than ${noiseFloorPp} percentage
      points have no order.
    </p>
    <figure>${await shareChart(document)}</figure>
    ${table(
      `Share of voice of ${brand.name} and its competitors`,
      [
        { name: 'Name' },
        { name: 'Mentions', isNumber: true },
        { name: 'Share, %', isNumber: true },
        { name: '95 % interval', isNumber: true },
        { name: 'Against the brand' },
        { name: 'Against the first' },
      ],
      document.shareOfVoice.map((row) => [
        row.isBrand ? markup`<strong>${row.name}</strong>` : row.name,
        row.mentions,
        row.sovPct,
        `${row.lowPct} to ${row.highPct}`,
        row.isBrand ? 'the brand' : row.tiedWithBrand ? 'tied' : 'apart',
        row.tiedForLead ? 'tied' : 'behind',
      ]),
      { printedRows: PRINTED_NAMES },
    )}`;
}

async function shareChart({ brand, shareOfVoice }: Competitors): Promise<Html> {
  // Two rows may have the same name; the number distinguishes them.
  const drawn = shareOfVoice.filter((row, index) => row.isBrand || index < DRAWN_NAMES);
  const values = drawn.map((row, index) => ({ ...row, row: `${index + 1}. ${row.name}` }));
  const x = { type: 'quantitative', title: 'Share of voice, %', scale: { zero: true } } as const;
  const color = {
    condition: { test: 'datum.isBrand', value: 'var(--accent)' },
    value: 'var(--other)',
  } as const;
  return await drawChart({
    title: `Share of voice of ${brand.name} and its competitors, with 95 % intervals`,
    description: drawn.map((row) => `${row.name} ${row.sovPct} %`).join(', '),
    spec: {
      width: 420,
      height: { step: 24 },
      data: { values },
      encoding: {
        y: {
          field: 'row',
          type: 'nominal',
          sort: null,
          title: null,
          axis: { labelLimit: 220, ticks: false, domain: false },
        },
        color,
      },
      layer: [
        {
          mark: { type: 'rule', strokeWidth: 3, opacity: 0.55 },
          encoding: { x: { ...x, field: 'lowPct' }, x2: { field: 'highPct' } },
        },
        {
          mark: { type: 'point', filled: true, size: 70, opacity: 1 },
          encoding: { x: { ...x, field: 'sovPct' } },
        },
      ],
    },
  });
}
