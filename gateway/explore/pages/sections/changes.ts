import type { ScoreRule, ShareRule } from '../../../../lib/weeks/judge.ts';
import { markup } from '../markup.ts';
import type { Html } from '../markup.ts';

/** Why the numbers of two weeks may measure different things; null if no reason is known. */
export function careText(reasons: readonly string[]): Html | null {
  if (reasons.length === 0) return null;
  if (reasons.length === 1) return markup`<p>Compare with care: ${reasons[0]}.</p>`;
  return markup`<p>Compare with care:</p>
    <ul>
      ${reasons.map((reason) => markup`<li>${reason}.</li>`)}
    </ul>`;
}

export const nothingMoved = markup`<p>Nothing moved more than chance usually causes.</p>`;

type Rule = ScoreRule | ShareRule;

const ruleWords: Record<Rule, string> = {
  'engines together':
    'each prompt is compared with its own earlier weeks, and all engines of the brand are judged together, so that in a week without any change one is listed by chance in 5 % of weeks',
  'same prompts': 'each prompt is compared with its own earlier weeks',
  'drift band': 'where 95 % of the weekly scores of an engine would fall if nothing had changed',
  'gap by prompt':
    'how far a share is behind the first name, compared prompt by prompt, with its 95 % interval',
  interval: 'the 95 % interval of a share',
};

/** Explains the rules that are used; null if there are none. */
export function rulesText(used: readonly (Rule | null)[]): Html | null {
  const rules = (Object.keys(ruleWords) as Rule[]).filter((rule) => used.includes(rule));
  if (rules.length === 0) return null;
  const words = rules.map((rule) => `${rule} (${ruleWords[rule]})`).join(', ');
  return markup`<p class="soft">Judged by: ${words}.</p>`;
}
