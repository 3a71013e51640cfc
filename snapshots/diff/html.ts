import { markup, trusted } from '../html/html.ts';
import type { Html } from '../html/html.ts';
import { page, table } from '../html/page.ts';
import type { BrandDiff, JudgedChange, SnapshotDiff } from './diff.ts';
import { labels } from './labels.ts';
import { engineName } from './words.ts';
import type { WonOrLost } from './won-lost.ts';

/** A diff as a complete HTML page. */
export function diffPage(diff: SnapshotDiff): string {
  const { from, to, brands, counts, workspaceId } = diff;
  const present = labels.filter((label) => counts[label] > 0);
  return page(
    `What changed from ${from.asOf.slice(0, 10)} to ${to.asOf.slice(0, 10)}`,
    markup`<main>
      <h1>What changed from ${from.asOf.slice(0, 10)} to ${to.asOf.slice(0, 10)}</h1>
      <dl>
        <dt>Workspace</dt>
        <dd>${workspaceId}</dd>
        <dt>From</dt>
        <dd>${from.snapshotId}</dd>
        <dt>To</dt>
        <dd>${to.snapshotId}</dd>
      </dl>
      ${
        present.length === 0
          ? markup`<p>${brands.length === 0 ? 'Nothing changed.' : 'No value changed.'}</p>`
          : table(
              'Changes by what they mean',
              [{ name: 'Label' }, { name: 'Changes', isNumber: true }, { name: 'Meaning' }],
              present.map((label) => [labelTag(label), counts[label], meanings[label]]),
            )
      }
      ${brands.map(brandSection)}
    </main>`,
  );
}

/** The meaning of each label, in a sentence. */
export const meanings: Record<JudgedChange['label'], string> = {
  'methodology changed': 'The two weeks were computed by different rules; the values are not comparable.',
  'prompts changed': 'Other questions were asked; the values are not comparable.',
  'competitors changed': 'Other competitors were tracked; the values are not comparable.',
  'engines changed': 'Other engines were asked; the values are not comparable.',
  'models changed': 'Another model answered on the engine: the change may be the model’s, not the brand’s.',
  'runs per prompt changed':
    'Each prompt was asked more or less often on the engine. A score rises with the runs, because one answer that names the brand is enough.',
  'answered prompts changed':
    'The engine answered other prompts, or fewer or more of them; the values are not comparable.',
  'brand changed': 'The name or the website of the brand was changed, or the brand was added or removed.',
  moved:
    'Further than chance explains, by the rule that is named. The overall visibility has moved if one of its scores has.',
  'within noise': 'Not further than chance explains, by the rule that is named.',
  'insufficient data': 'Nothing was counted, or the engine or prompt is warming up.',
  'new cycle': 'Changes every week.',
  'field added': 'The older snapshot was published before this field or document existed.',
  'not judged': 'Published without an interval or a band.',
};

export function labelTag(label: JudgedChange['label']): Html {
  return markup`<span class="label${label === 'moved' ? trusted(' moved') : null}">${label}</span>`;
}

/** What was different on which engine; null if nothing was. */
function causesList({ causesOnEngines }: BrandDiff): Html | null {
  if (causesOnEngines.length === 0) return null;
  return markup`<ul>${causesOnEngines.map(({ slug, text }) => markup`<li>${engineName(slug)}: ${text}.</li>`)}</ul>`;
}

function brandSection(brand: BrandDiff): Html {
  const { name, brandId, change, causes, changes, wonAndLost } = brand;
  const what = change === null ? null : markup`<p>This brand was ${change}.</p>`;
  return markup`<section aria-label="${name}">
    <h2>${name}</h2>
    <p class="soft">${brandId}${causes.length === 0 ? null : ` · ${causes.join(', ')}`}</p>
    ${causesList(brand)}${what}${wonAndLostTable(name, wonAndLost)}${changes.length === 0 ? null : changesTable(name, changes)}
  </section>`;
}

/** The prompts that were won or lost; null if there are none. */
export function wonAndLostTable(
  name: string,
  wonAndLost: readonly WonOrLost[],
  printedRows = wonAndLost.length,
): Html | null {
  if (wonAndLost.length === 0) return null;
  return table(
    `Prompts that ${name} won or lost`,
    [
      { name: 'Prompt' },
      { name: 'Engine' },
      { name: 'Result' },
      { name: 'Cycle' },
      { name: 'Position', isNumber: true },
    ],
    wonAndLost.map(({ promptText, slug, change, date, position }) => [
      promptText,
      engineName(slug),
      change,
      date,
      change === 'won' ? position : `was ${position}`,
    ]),
    { printedRows },
  );
}

export function changesTable(
  name: string,
  changes: readonly JudgedChange[],
  printedRows = changes.length,
): Html {
  return table(
    `Changed values of ${name}`,
    [{ name: 'Value' }, { name: 'Label' }, { name: 'Rule' }, { name: 'Old' }, { name: 'New' }],
    changes.map((change) => [
      change.place,
      labelTag(change.label),
      change.rule,
      change.oldText,
      change.newText,
    ]),
    { printedRows },
  );
}
