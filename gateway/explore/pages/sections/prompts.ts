import { engineName, isolatedName } from '../../../../lib/weeks/words.ts';
import type { Results } from '../../../../lib/documents/results.ts';
import type { Stability } from '../../../../lib/documents/stability.ts';
import { CORE_PERCENT, EMERGING_PERCENT } from '../../../../lib/methodology/constants.ts';
import { roundDouble } from '../../../../lib/methodology/exact.ts';
import { newestCycle, resultsThisWeek } from '../../../../lib/weeks/won-lost.ts';
import { markup, nameOf, trusted } from '../markup.ts';
import type { Html } from '../markup.ts';
import { table } from '../page.ts';
import type { Cell } from '../page.ts';
import { sheetOf } from '../sheets.ts';
import type { BrandWeek } from '../week.ts';

type Prompt = Results['prompts'][number];
type Result = Prompt['engines'][number];
type Steadiness = Stability['prompts'][number]['engines'][number];

/**
 * Every active prompt, with what each engine answered in its newest cycle. Rows carry what the filters of the page need:
 * the changes and the tags of the prompt.
 */
export function promptsSection(week: BrandWeek): Html {
  const { results, stability, prompts, asOf, brand } = week;
  if (results.prompts.length === 0)
    return markup`<section class="card" id="prompts"><h3>Prompts</h3>
      <p>No active prompt has an answer yet.</p></section>`;
  const slugs = [
    ...new Set(results.prompts.flatMap(({ engines }) => engines.map(({ slug }) => slug))),
  ].toSorted();
  const thisWeek = new Set(resultsThisWeek(results, asOf).map(({ engine }) => engine));
  const tags = new Map(prompts.prompts.map((prompt) => [prompt.id, prompt.tags]));
  const steady = new Map(stability.prompts.map(({ promptId, engines }) => [promptId, engines]));
  const rows = results.prompts.map((prompt) => ({
    prompt,
    changes: changesOf(prompt, thisWeek),
    named: prompt.engines.filter((engine) => thisWeek.has(engine) && engine.isNamed).length,
    asked: prompt.engines.filter((engine) => thisWeek.has(engine)).length,
  }));
  const lost = countOf([...thisWeek], 'lost');
  const order = ({ changes }: (typeof rows)[number]) => -changes.lost * 1000 - changes.won;
  return markup`<section class="card prompts" id="prompts"><h3>Prompts</h3>
    ${countsText(results, thisWeek)}
    ${lost === 0 ? null : markup`<p id="instead"><button type="button" class="small">Who is named instead on the ${lost} lost results?</button></p>`}
    ${filters([...tags.values()].flat())} ${legend}
    ${table(
      `Prompts of ${isolatedName(brand.name)} on each engine, those lost first`,
      [
        { name: 'Prompt' },
        { name: 'Named on', isNumber: true },
        ...slugs.map((slug) => ({ name: engineName(slug) })),
      ],
      rows
        .toSorted((a, b) => order(a) - order(b))
        .map(({ prompt, changes, named, asked }) => [
          {
            shown: promptButton(prompt, changes, tags.get(prompt.promptId) ?? []),
            by: prompt.promptText,
          },
          { shown: asked === 0 ? '–' : `${named} of ${asked}`, by: named },
          ...slugs.map((slug) => {
            const result = prompt.engines.find((engine) => engine.slug === slug);
            const placed = steady.get(prompt.promptId)?.find((engine) => engine.slug === slug);
            return result === undefined ? null : resultCell(result, placed, thisWeek.has(result));
          }),
        ]),
      { sheet: sheetOf('results', week), isSortable: true, className: 'matrix prompts' },
    )}
  </section>`;
}

interface Changes {
  won: number;
  lost: number;
}

function changesOf({ engines }: Prompt, thisWeek: ReadonlySet<Result>): Changes {
  const ofThisWeek = engines.filter((engine) => thisWeek.has(engine));
  return { won: countOf(ofThisWeek, 'won'), lost: countOf(ofThisWeek, 'lost') };
}

/** How many of the results have this change. */
export function countOf(results: readonly Result[], change: Result['change']): number {
  return results.filter((result) => result.change === change).length;
}

function countsText(results: Results, thisWeek: ReadonlySet<Result>): Html {
  const engines = [...thisWeek];
  const newest = newestCycle(results);
  if (engines.length === 0)
    return markup`<p>The newest answers are of ${newest}: nothing was won or lost this week.</p>`;
  const count = (change: Result['change']) => countOf(engines, change);
  const all = results.prompts.flatMap((prompt) => prompt.engines).length;
  const older = all - engines.length;
  return markup`<p>
    In the cycle of ${newest} the brand is named in ${engines.filter(({ isNamed }) => isNamed).length} of ${engines.length} results, one
    for each prompt and engine: <b>${count('won')} won</b>, <b>${count('lost')} lost</b>, ${count('kept')} kept, ${count('absent')} absent${count('new') === 0 ? '' : `, ${count('new')} asked for the first time`}.
    ${older === 0 ? null : `Not counted: ${older} older, where an engine has not answered a prompt in that cycle.`}
    One prompt on one engine is one draw: a single result says nothing about significance.
  </p>`;
}

function filters(all: readonly string[]): Html {
  const tags = [...new Set(all)].toSorted();
  return markup`<div class="filters screen" role="search" aria-label="Prompts">
    <label>Search <input type="search" id="prompt-search" autocomplete="off" /></label>
    <label>Show
      <select id="prompt-change">
        <option value="">all</option>
        <option value="lost">lost</option>
        <option value="won">won</option>
        <option value="named">named somewhere</option>
        <option value="absent">named nowhere</option>
      </select></label>
    ${
      tags.length === 0
        ? null
        : markup`<label>Tag
            <select id="prompt-tag">
              <option value="">all</option>
              ${tags.map((tag) => markup`<option>${tag}</option>`)}
            </select></label>`
    }
    <span id="prompt-count" class="soft" aria-live="polite"></span>
  </div>`;
}

/** What the placements mean, in their colours. */
const legend = markup`<p class="soft legend">
  A number is the best position of the brand in this week’s answers, – is not named. ▲ won, ▼ lost: named this week but not in the cycle before, or the other way
  round. The colour says how steadily it is named over all cycles: <span class="heat core">core</span> at least ${CORE_PERCENT} %,
  <span class="heat emerging">emerging</span> from ${EMERGING_PERCENT} %, <span class="heat carousel">carousel</span> less,
  <span class="heat absent">absent</span> never. In brackets: an older answer.
</p>`;

function promptButton(
  { promptId, promptText }: Prompt,
  { won, lost }: Changes,
  tags: readonly string[],
): Html {
  const changes = [won > 0 ? 'won' : null, lost > 0 ? 'lost' : null].filter((change) => change !== null);
  return markup`<button type="button" class="row" aria-expanded="false" data-prompt="${promptId}" data-changes="${changes.join(' ')}" data-tags="${JSON.stringify(tags)}">${nameOf(promptText)}</button>`;
}

function resultCell(result: Result, steadiness: Steadiness | undefined, isThisWeek: boolean): Cell {
  const { isNamed, position, change } = result;
  const placement = steadiness?.brandPlacement ?? 'absent';
  const text = isNamed ? String(position) : '–';
  const sign = !isThisWeek ? '' : change === 'won' ? ' ▲' : change === 'lost' ? ' ▼' : '';
  const percent =
    steadiness === undefined ? '' : `, ${roundDouble(steadiness.brandStability * 100, 1)} % of cycles`;
  const words = `${isNamed ? `named, position ${position}` : 'not named'}${sign === '' ? '' : `, ${change}`}; ${placement}${percent}`;
  return {
    shown: markup`<span class="heat ${trusted(placement)}" title="${words}"><span aria-hidden="true">${isThisWeek ? text : `(${text})`}${sign}</span><span class="unseen">${words}</span></span>`,
    by: isNamed ? position! : 1000,
  };
}
