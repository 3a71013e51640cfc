import type { BrandInWeek, Week } from '../../../../lib/documents/week.ts';
import type { Cell } from '../../../../lib/tables/names.ts';
import { factsInWords, readingInWeek, urgentFirst } from '../../../../lib/weeks/facts-in-words.ts';
import { engineName, isolatedName } from '../../../../lib/weeks/names.ts';
import { isOfWeek } from '../../../../lib/weeks/readings.ts';
import { markup, nameOf, withNames } from '../markup.ts';
import type { Html } from '../markup.ts';
import { chart, link, sheetButtons, table } from '../page.ts';
import type { Sheet } from '../parts.ts';
import { isCounted } from '../week.ts';
import { tile } from './brand.ts';

/** The tables that the page of every brand is made from. */
export const everyTables = ['brands', 'visibility', 'trend', 'share_of_voice', 'changes', 'sources'] as const;

export type Row = Readonly<Record<string, Cell>>;
/** The rows of each table, by the names of its columns. */
export type EveryTables = Readonly<Record<(typeof everyTables)[number], readonly Row[]>>;

/** Every brand one after the other, from the week and a few tables: to be printed, or saved as one file. */
export function everyBrand({ asOf, brands }: Week, tables: EveryTables): Html {
  return markup`${urgentFirst(brands).map((facts) => {
    const of = (name: keyof EveryTables) => tables[name].filter((row) => row['brand_id'] === facts.brand.id);
    return markup`<section>
      <h2>${nameOf(facts.brand.name)}</h2>
      <p class="words">${withNames(factsInWords(facts, asOf!).join(' '))}</p>
      ${numbers(facts, of('brands')[0]!, asOf!)} ${engines(facts, asOf!, of('trend'), of('visibility'))}
      ${shares(facts, of('share_of_voice'))} ${wonAndLost(facts, of('changes'))} ${sources(facts, of('sources'))}
    </section>`;
  })}
    <section class="card screen">
      <h3>Tables of all brands</h3>
      <ul class="downloads">
        ${everyTables.map((name) => {
          const title = name.replaceAll('_', ' ');
          return markup`<li>${title} <small>${tables[name].length} rows</small> ${sheetButtons(title, sheetOfRows(name, tables[name]))}</li>`;
        })}
      </ul>
    </section>`;
}

function sheetOfRows(name: string, rows: readonly Row[]): Sheet {
  return { kind: 'sheet', name, columns: Object.keys(rows[0] ?? {}), rows: rows.map(Object.values) };
}

function numbers(
  { overallVisibility, engines: scored, shareOfVoice }: BrandInWeek,
  row: Row,
  asOf: string,
): Html {
  const { sovPct, rank, names } = shareOfVoice;
  const hasShare = isCounted(shareOfVoice);
  const isOfThisWeek = scored.some(({ date }) => isOfWeek(date, asOf));
  return markup`<dl class="tiles" aria-label="Key numbers">
    ${tile('Visibility', isOfThisWeek ? `${overallVisibility} %` : null, null, isOfThisWeek ? 'mean of engines' : 'no answers this week')}
    ${tile('Share of voice', hasShare ? `${sovPct} %` : null, null, names < 2 ? 'no competitors' : hasShare ? `place ${rank} of ${names}` : 'no mentions')}
    ${tile('Named in answers', row['answers'] === 0 ? null : `${row['answers_naming']} of ${row['answers']}`, null, 'last 14 days')}
    ${tile('Position', row['avg_position'] === null ? null : String(row['avg_position']), null, '1 is named first')}
    ${tile('Own site cited', row['own_site_citations'] === null ? null : `${row['own_site_citations']} ×`, null, 'last 14 days')}
  </dl>`;
}

function engines(
  facts: BrandInWeek,
  asOf: string,
  trend: readonly Row[],
  latest: readonly Row[],
): Html | null {
  if (facts.engines.length === 0) return null;
  const from = trend.map((row) => row['date'] as string).toSorted()[0]!;
  return markup`<div class="charts">
    ${facts.engines.map((engine) => {
      const newest = latest.find((row) => row['engine'] === engine.slug)!;
      const points = trend
        .filter((row) => row['engine'] === engine.slug)
        .map((row) => {
          const isNewest = row['date'] === engine.date;
          return {
            date: row['date'] as string,
            score: row['score'] as number,
            bandLow: isNewest ? (newest['band_low'] as number | null) : null,
            bandHigh: isNewest ? (newest['band_high'] as number | null) : null,
            isSignificant: isNewest && engine.isSignificant,
            modelsChanged: isNewest && newest['models_changed'] === true,
          };
        });
      return markup`<figure>
        <figcaption><b>${engineName(engine.slug)}</b> ${engine.score}\u00a0% ${readingInWeek(engine, facts, asOf)}</figcaption>
        ${chart({
          kind: 'scores',
          title: `Visibility of ${facts.brand.name} on ${engineName(engine.slug)} over time, in percent`,
          points,
          events: [],
          from,
          until: asOf.slice(0, 10),
          isLarge: false,
        })}
      </figure>`;
    })}
  </div>`;
}

function shares({ brand, shareOfVoice }: BrandInWeek, rows: readonly Row[]): Html | null {
  if (rows.length < 2 || shareOfVoice.totalMentions === 0) return null;
  return markup`<h3>Share of voice</h3>
    ${chart({
      kind: 'shares',
      title: `Share of voice of ${brand.name} and its competitors, with 95 % intervals`,
      rows: rows.map((row) => ({
        name: row['name'] as string,
        low: row['low_pct'] as number,
        value: row['sov_pct'] as number,
        high: row['high_pct'] as number,
        isBrand: row['is_brand'] === true,
      })),
    })}`;
}

function wonAndLost({ brand, results }: BrandInWeek, rows: readonly Row[]): Html | null {
  const listed = rows.filter((row) => row['date'] === results.cycle && row['change'] !== 'new');
  if (listed.length === 0) return null;
  return table(
    `Prompts that ${isolatedName(brand.name)} won or lost`,
    [{ name: 'Prompt' }, { name: 'Engine' }, { name: 'Result' }, { name: 'Answers' }],
    listed.map((row) => [
      row['prompt_text'] as string,
      engineName(row['engine'] as string),
      row['change'] as string,
      markup`${((row['answer_urls'] ?? '') as string).split(' ').map((url, index) => (url === '' ? markup`–` : markup`${link(url, `answer ${index + 1}`)} `))}`,
    ]),
    { sheet: sheetOfRows('changes', listed) },
  );
}

function sources({ brand }: BrandInWeek, rows: readonly Row[]): Html | null {
  if (rows.length === 0) return null;
  return markup`<h3>Sources: mentions of competitors less those of the brand</h3>
    ${chart({
      kind: 'bars',
      title: `Gap of ${brand.name} to its competitors by cited domain`,
      rows: rows.map((row) => ({
        name: row['domain'] as string,
        value: row['gap'] as number,
        isOwn: row['is_own_domain'] === true,
      })),
    })}`;
}
