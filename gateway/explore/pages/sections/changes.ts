import type { Comparison, ScoreChanges } from '../../../../lib/weeks/compare.ts';
import type { ScoreRule, ShareRule } from '../../../../lib/weeks/judge.ts';
import { engineName, isolatedName, listOf } from '../../../../lib/weeks/names.ts';
import { markup, withNames } from '../markup.ts';
import type { Html } from '../markup.ts';
import { table } from '../page.ts';
import type { Sheet } from '../parts.ts';

/** What moved since an earlier week, and the causes that make numbers incomparable. */
export function changesSection(since: string, { notComparable, visibility, shareOfVoice }: Comparison): Html {
  const rows = [
    ...visibility.moved.map(({ engine, because, before, after }) => ({
      value: engineName(engine),
      before: before.score,
      after: after.score,
      because,
    })),
    ...shareOfVoice.moved.map(({ name, because, before, after }) => ({
      value: `Share of voice of ${isolatedName(name)}`,
      before: before.sovPct,
      after: after.sovPct,
      because,
    })),
  ];
  const sheet: Sheet = {
    kind: 'sheet',
    name: 'moved',
    columns: ['value', 'before', 'after', 'because'],
    rows: rows.map(({ value, before, after, because }) => [
      value.replaceAll(/[\u2068\u2069]/g, ''),
      before,
      after,
      because,
    ]),
  };
  return markup`<section class="card">
    <h3>What changed since the ${since}</h3>
    ${rows.length === 0 ? markup`<p>${calmText(visibility)}</p>` : null}
    ${careText(notComparable)}
    ${
      rows.length === 0
        ? null
        : table(
            `What moved since the ${since}`,
            [
              { name: 'Value' },
              { name: 'Before, %', isNumber: true },
              { name: 'After, %', isNumber: true },
              { name: 'Why it is listed' },
            ],
            rows.map(({ value, before, after, because }) => [withNames(value), before, after, because]),
            { sheet },
          )
    }
    ${notJudgedText(visibility)} ${rulesText([...visibility.moved, ...shareOfVoice.moved].map(({ rule }) => rule))}
  </section>`;
}

/** A week in which no engine could be judged is not calm. */
function calmText({ possiblyChance, notMoved }: ScoreChanges): string {
  return possiblyChance.length + notMoved.length === 0
    ? 'No engine could be judged this week.'
    : 'Nothing moved more than chance usually causes.';
}

/** The engines that were not judged, by the reason; null if all were. */
function notJudgedText({ notJudged }: ScoreChanges): Html | null {
  if (notJudged.length === 0) return null;
  const groups = [...Map.groupBy(notJudged, ({ reason }) => reason)].map(
    ([reason, each]) => `${listOf(each.map(({ engine }) => engineName(engine)))} (${reason})`,
  );
  return markup`<p class="soft">Not judged: ${groups.join(', ')}.</p>`;
}

/** Why the numbers of two weeks may measure different things; null if no reason is known. */
function careText(reasons: readonly string[]): Html | null {
  if (reasons.length === 0) return null;
  if (reasons.length === 1) return markup`<p>Compare with care: ${reasons[0]}.</p>`;
  return markup`<p>Compare with care:</p>
    <ul>
      ${reasons.map((reason) => markup`<li>${reason}.</li>`)}
    </ul>`;
}

type Rule = ScoreRule | ShareRule;

const ruleWords: Record<Rule, string> = {
  'engines together':
    'each prompt is compared with its own earlier weeks, and all engines of the brand are judged together, so that in a week without any change one is listed by chance in 5 % of weeks',
  'gap by prompt':
    'how far a share is behind the first name, compared prompt by prompt, with its 95 % interval',
  interval: 'the 95 % interval of a share',
};

/** Explains the rules that are used; null if there are none. */
function rulesText(used: readonly (Rule | null)[]): Html | null {
  const rules = (Object.keys(ruleWords) as Rule[]).filter((rule) => used.includes(rule));
  if (rules.length === 0) return null;
  const words = rules.map((rule) => `${rule} (${ruleWords[rule]})`).join(', ');
  return markup`<p class="soft">Judged by: ${words}.</p>`;
}
