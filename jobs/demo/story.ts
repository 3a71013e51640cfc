import { engineSlugs, webGrounded } from '../../lib/methodology/constants.ts';
import type { EngineSlug } from '../../lib/methodology/constants.ts';
import { dieOf, idOf } from './draws.ts';

export interface Sizes {
  seed: number;
  workspaces: number;
  /** In the whole drop, dealt out evenly to the workspaces. */
  brands: number;
  /** Of each brand. */
  prompts: number;
  /** Weekly cycles, the last of them on the Monday on or before the as-of instant. */
  cycles: number;
}

/** What was asked for, and the few places where something out of the ordinary happens. Brands are numbers, from 0. */
export interface Story extends Sizes {
  /** The instant of the first cycle, a Monday at midnight, in milliseconds. */
  firstCycle: number;
  lastCycle: number;
  /** No run is later than this after midnight, in milliseconds. */
  latestRun: number;
  /** The company from which on names are taken. */
  firstName: number;
  /** Which brand of each workspace has an engine whose last week falls out of its drift band. */
  fallenPlace: number;
  fallenEngines: EngineSlug[];
  /** The engine behind which the model changes in the last week. */
  changedEngine: EngineSlug;
  /** The brand for which a web-grounded engine has given no answer in the last three weeks. */
  silentBrand: number;
  /** The brand that an engine names less often since four weeks. It takes 20 prompts to judge that. */
  lowerBrand: number | null;
  /** The brand that was set up three weeks ago, and is still warming up. */
  newBrand: number | null;
}

export const DAY = 86_400_000;
export const WEEK = 7 * DAY;
const HOUR = 3_600_000;

/** @param asOf in milliseconds */
export function storyOf(sizes: Sizes, asOf: number): Story {
  const { seed, workspaces, brands, prompts, cycles } = sizes;
  const die = dieOf(`story ${seed}`);
  const day = Math.floor(asOf / DAY);
  // 1970-01-01 was a Thursday.
  const lastCycle = (day - ((day + 3) % 7)) * DAY;
  const without = engineSlugs.filter((engine) => !webGrounded[engine]);
  const first = die(without.length);
  const fallenEngines = without.map((_, index) => without[(first + index) % without.length]!);
  return {
    ...sizes,
    firstCycle: lastCycle - (cycles - 1) * WEEK,
    lastCycle,
    latestRun: Math.min(asOf - lastCycle, 5 * HOUR),
    firstName: die(2400),
    fallenPlace: die(Math.max(Math.min(Math.floor(brands / workspaces), 6) - 1, 1)),
    fallenEngines,
    changedEngine: fallenEngines[0]!,
    silentBrand: Math.min(die(5) + 1, brands - 1),
    lowerBrand: brands >= 4 && cycles >= 12 && prompts >= 20 ? brands - 2 : null,
    newBrand: brands >= 6 ? brands - 1 : null,
  };
}

const workspaceNames = [
  'Halden & Moor',
  'Northlight Agency',
  'Studio Varga',
  'Bright Harbour Marketing',
  'Okafor Partners',
  'Lindqvist Digital',
  'The Fennel Group',
  'Castellan Media',
  'Blue Aster',
  'Rowan & Pike',
];

/** Workspaces as they are delivered, made on a whole minute in the year before the first cycle. */
export function workspacesOf({ seed, workspaces, firstCycle }: Story) {
  return Array.from({ length: workspaces }, (_, number) => {
    const minutes = ((number * 61) % 1440) + dieOf(`workspace ${seed} ${number}`)(43_200);
    const again = number < workspaceNames.length ? '' : ` ${Math.floor(number / workspaceNames.length) + 1}`;
    return {
      id: workspaceIdOf(seed, number),
      name: workspaceNames[number % workspaceNames.length] + again,
      created_at: new Date(firstCycle - 407 * DAY + minutes * 60_000).toISOString(),
    };
  });
}

export function workspaceIdOf(seed: number, number: number): string {
  return idOf(`workspace ${seed} ${number}`);
}

/** Events as they are delivered: five weeks ago something of all engines, in the last week a new model. */
export function eventsOf({ seed, lastCycle, changedEngine }: Story) {
  const event = (number: number, engine: EngineSlug | null, daysAgo: number, text: string) => ({
    id: idOf(`event ${seed} ${number}`),
    workspace_id: null,
    engine,
    date: dateOf(lastCycle - daysAgo * DAY),
    text,
    url: `https://news.example/${number}`,
  });
  return [
    event(0, null, 36, 'A buyer’s guide of a large magazine was published'),
    event(1, changedEngine, 1, 'A new model answers by default'),
  ];
}

export function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
