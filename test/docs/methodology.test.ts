import { describe, expect, test } from 'vitest';
import { predictionBand, roundDouble, roundRatio } from '../../lib/exact.ts';
import { METHODOLOGY_VERSION } from '../../lib/methodology.ts';
import { competitorsOf } from '../../jobs/weekly/competitors.ts';
import type { ShareRow } from '../../jobs/weekly/rows.ts';
import { pageText } from './pages.ts';

const page = pageText('docs/methodology.md');

/** What the examples of the page call, each computed by what computes the documents. */
const functions: Record<string, (...given: never[]) => unknown> = {
  percentage: (part: number, whole: number) => roundRatio(100 * part, whole, 1),
  stability: (cycles: number, observed: number) => roundRatio(cycles, observed, 4),
  netSentiment: (positive: number, negative: number, mentions: number) =>
    roundRatio(100 * (positive - negative), mentions, 0),
  band: (priors: number[], answered: number) => {
    const band = predictionBand(priors, answered);
    return band === null ? null : [roundDouble(band.low, 1), roundDouble(band.high, 1)];
  },
  interval: (x: number, n: number) => {
    const row = shareOfVoice([x, n - x]).shareOfVoice[0]!;
    return [row.lowPct, row.highPct, row.halfWidthPp];
  },
  noiseFloor: (mentions: number[]) => shareOfVoice(mentions).noiseFloorPp,
};

function shareOfVoice(mentions: readonly number[]) {
  const shares = mentions.map((count, index) => ({
    name: String(index),
    is_brand: index === 0,
    mentions: count,
  }));
  return competitorsOf({ shares: shares as ShareRow[] } as Parameters<typeof competitorsOf>[0]);
}

const examples = [...page.matchAll(/^\| `(\w+)\((.*)\)` +\| (.*?) +\|$/gm)].map(
  ([, name, given, published]) => ({ name: name!, given: given!, published: published! }),
);

describe('docs/methodology.md', () => {
  test('has the version that manifests name, and tells of it in its history', () => {
    expect(page).toContain(`\nVersion ${METHODOLOGY_VERSION}\n`);
    expect(page).toContain(`- **${METHODOLOGY_VERSION}**`);
  });

  test('has examples of every function', () => {
    expect(new Set(examples.map(({ name }) => name))).toEqual(new Set(Object.keys(functions)));
  });

  test.each(examples)('$name($given) is published as $published', ({ name, given, published }) => {
    const result = functions[name]!(...(JSON.parse(`[${given}]`) as never[]));
    expect(result).toEqual(JSON.parse(published));
  });
});
