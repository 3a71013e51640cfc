import { describe, expect, test } from 'vitest';
import { behindLeader } from '../../lib/methodology/behind-leader.ts';
import type { ByPrompt } from '../../lib/methodology/behind-leader.ts';
import { driftBand, roundDouble, roundRatio } from '../../lib/methodology/exact.ts';
import { engineSlugs, METHODOLOGY_VERSION } from '../../lib/methodology/constants.ts';
import { movedOf } from '../../lib/methodology/moved.ts';
import { CYCLES_MULTIPLE, samePrompts } from '../../lib/methodology/same-prompts.ts';
import { stabilityOf } from '../../lib/methodology/stability.ts';
import { shareOfVoice } from '../../lib/methodology/share-of-voice.ts';
import { changeOf } from '../../lib/methodology/results.ts';
import { netSentiment } from '../../lib/methodology/visibility.ts';
import { pageText } from './pages.ts';

const page = pageText('docs/methodology.md');

/** The functions in the examples of the page, computed by the code of the documents. */
const functions: Record<string, (...given: never[]) => unknown> = {
  percentage: (part: number, whole: number) => roundRatio(100 * part, whole, 1),
  stability: (cycles: number, observed: number) => stabilityOf(cycles, observed),
  netSentiment: (positive: number, negative: number, mentions: number) =>
    netSentiment({ positive, negative, mentions }),
  band: (priors: number[], answered: number) => {
    const band = driftBand(priors, answered);
    return band === null ? null : [roundDouble(band.low, 1), roundDouble(band.high, 1)];
  },
  interval: (x: number, n: number) => {
    const row = sharesOf([x, n - x]).shareOfVoice[0]!;
    return [row.lowPct, row.highPct, row.halfWidthPp];
  },
  change: changeOf,
  moved: (...chances: number[][]) => {
    const compared = chances[0]!.map((p, index) => ({ slug: engineSlugs[index]!, p }));
    const moved = movedOf(compared);
    return compared.map(({ slug }) => moved.includes(slug));
  },
  noiseFloor: (mentions: number[]) => sharesOf(mentions).noiseFloorPp,
  behind: (prompts: [number, number][]) => {
    const rows = [0, 1].map((row) => rowByPrompt(prompts, row));
    const behind = behindLeader(rows)?.[1] ?? null;
    return behind === null ? null : [behind.gapPp, behind.lowPp, behind.highPp, behind.isBehind];
  },
  samePrompts: (prompts: [number, number, number][]) => {
    const sumOf = (each: (prompt: [number, number, number]) => number) =>
      prompts.reduce((sum, prompt) => sum + each(prompt), 0);
    const compared = samePrompts({
      prompts: prompts.length,
      named: sumOf(([, , x]) => x),
      expected: BigInt(sumOf(([a, m]) => (m * CYCLES_MULTIPLE) / a)),
      variance: BigInt(sumOf(([a, m]) => m * (a - m) * (CYCLES_MULTIPLE / a) ** 2)),
      cycles: prompts.map(([a]) => a),
      namedCycles: prompts.map(([, m]) => m),
    });
    return Object.values(compared.samePrompts);
  },
};

/** @param prompts the mentions of each row in each prompt */
function rowByPrompt(prompts: readonly number[][], row: number): ByPrompt {
  const sumOf = (each: (counts: readonly number[]) => number) =>
    prompts.reduce((sum, counts) => sum + each(counts), 0);
  return {
    mentions: sumOf((counts) => counts[row]!),
    prompts: prompts.length,
    withItself: BigInt(sumOf((counts) => counts[row]! ** 2)),
    withLeader: BigInt(sumOf((counts) => counts[row]! * counts[0]!)),
    withAll: BigInt(sumOf((counts) => counts[row]! * counts.reduce((sum, each) => sum + each))),
  };
}

function sharesOf(counts: readonly number[]) {
  const rows = counts.map((mentions, index) => ({ name: String(index), isBrand: index === 0, mentions }));
  return shareOfVoice(
    rows,
    counts.reduce((sum, mentions) => sum + mentions, 0),
  );
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
