import { causeWords } from '../../clients/typescript/src/causes.ts';
import { engineName } from '../../clients/typescript/src/words.ts';
import { pageFile } from '../pages/file.ts';
import { markup, trusted } from '../pages/markup.ts';
import type { Html } from '../pages/markup.ts';
import { table } from '../pages/page.ts';
import { careText, rulesText } from '../pages/sections/changes.ts';
import { wonAndLostTable } from '../pages/sections/results.ts';
import { placements } from '../pages/sections/stability.ts';
import type { BrandDiff, JudgedChange, SnapshotDiff } from './diff.ts';
import { labels } from './labels.ts';
import type { Cause } from './labels.ts';

/** A diff as a complete HTML page: what moved first, everything else folded. Paper shows only what is open. */
export function diffPage(diff: SnapshotDiff): string {
  const { from, to, brands, counts, workspaceId } = diff;
  const present = labels.filter((label) => counts[label] > 0);
  const changes = brands.flatMap((brand) => brand.changes);
  const moved = brands.filter((brand) => brand.changes.some(({ judgement }) => judgement === 'moved'));
  const title = `What changed from ${from.asOf.slice(0, 10)} to ${to.asOf.slice(0, 10)}`;
  return pageFile(
    title,
    markup`<main>
      <h1>${title}</h1>
      ${
        present.length === 0
          ? markup`<p>${brands.length === 0 ? 'Nothing changed.' : 'No value changed.'}</p>`
          : table(
              'Changes by what they mean',
              [{ name: 'Label' }, { name: 'Changes', isNumber: true }, { name: 'Meaning' }],
              present.map((label) => [labelTag(label), counts[label], meanings[label]]),
            )
      }
      ${rulesText(changes.map(({ rule }) => rule))}
      ${changes.some(({ document }) => document === 'stability') ? placements : null}
      ${
        moved.length === 0
          ? null
          : markup`<section aria-label="What moved">
              <h2>What moved</h2>
              ${moved.map((brand) =>
                changesTable(
                  brand.name,
                  brand.changes.filter(({ judgement }) => judgement === 'moved'),
                ),
              )}
            </section>`
      }
      ${brands.length < 2 ? null : brandLinks(brands)} ${brands.map(brandSection)}
      <footer>
        <dl>
          <dt>Workspace</dt>
          <dd>${workspaceId}</dd>
          <dt>From</dt>
          <dd>${from.snapshotId}</dd>
          <dt>To</dt>
          <dd>${to.snapshotId}</dd>
        </dl>
      </footer>
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
    'More than chance usually causes, by the rule that is named. The overall visibility has moved if one of its scores has.',
  'within noise': 'Not more than chance usually causes, by the rule that is named.',
  'insufficient data': 'Nothing was counted, or the engine or prompt is warming up: it has too few weeks.',
  'new cycle': 'Changes with every cycle, the weekly round in which the prompts are asked.',
  'not judged': 'Published without an interval or a drift band, so nothing says whether it moved.',
};

export function labelTag(label: JudgedChange['label']): Html {
  return markup`<span class="label${label === 'moved' ? trusted(' moved') : null}">${label}</span>`;
}

const reasonWords: Partial<Record<Cause, string>> = {
  ...causeWords,
  'engines changed': 'other engines were asked',
  'brand changed': 'the name or the website of the brand changed',
};

/** Why the numbers of the two weeks may measure different things, in the words of /explore. */
export function reasonsOf({ causes, causesOnEngines }: BrandDiff): string[] {
  const onEngines = causesOnEngines.map(({ slug, text }) => `${engineName(slug)}: ${text}`);
  return [...causes.flatMap((cause) => reasonWords[cause] ?? []), ...onEngines];
}

function brandLinks(brands: readonly BrandDiff[]): Html {
  return markup`<nav aria-label="Brands" class="screen">
    <ul>
      ${brands.map(({ brandId, name }) => markup`<li><a href="#brand-${brandId}">${name}</a></li>`)}
    </ul>
  </nav>`;
}

function brandSection(brand: BrandDiff): Html {
  const { name, brandId, change, changes, wonAndLost } = brand;
  const what = change === null ? null : markup`<p>This brand was ${change}.</p>`;
  const folded = labels.filter((label) => label !== 'moved' && changes.some((each) => each.label === label));
  return markup`<section aria-labelledby="brand-${brandId}">
    <h2 id="brand-${brandId}">${name}</h2>
    ${careText(reasonsOf(brand))}${what}${wonAndLostTable(name, wonAndLost)}
    ${folded.map((label) =>
      foldedChanges(
        name,
        label,
        changes.filter((each) => each.label === label),
      ),
    )}
  </section>`;
}

function foldedChanges(name: string, label: JudgedChange['label'], changes: readonly JudgedChange[]): Html {
  return markup`<details>
    <summary>${label}: ${changes.length} ${changes.length === 1 ? 'value' : 'values'}</summary>
    ${changesTable(`${name}, ${label}`, changes)}
  </details>`;
}

export function changesTable(
  name: string,
  changes: readonly JudgedChange[],
  printedRows = changes.length,
): Html {
  return table(
    `Changed values of ${name}`,
    [{ name: 'Value' }, { name: 'Label' }, { name: 'Rule' }, { name: 'Before' }, { name: 'After' }],
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
