import { hash } from 'node:crypto';

/** A UUID that depends on nothing but its label. */
export function idOf(label: string): string {
  const hex = hash('sha256', label);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
}

/** The next draw: an integer from 0 to sides - 1. */
export type Die = (sides: number) => number;

/** Draws that depend on nothing but their label: Mulberry32 (Tommy Ettinger, public domain), seeded by its hash. */
export function dieOf(label: string): Die {
  let state = Number.parseInt(hash('sha256', label).slice(0, 8), 16);
  return (sides) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

const stems =
  'Tavi Quor Zeph Brix Olm Fenn Marl Nuvo Kest Pell Drov Yarrow Calder Ostra Lumo Hexa Varo Sable Torv Wend Ibex Juno ' +
  'Rill Skarn Umbra Vant Wisp Xylo Halden Birch Cobal Dune Ember Fjord Gale Heron Isla Jasper Kite Lark Moss Noctu Opal ' +
  'Prim Quay Raven Sorrel Thistle Ursa Merid';
const endings =
  'desk loop forge nest path works grid field lane mark stack wise bay ora ina well craft port line wright hollow berry ' +
  'shore stone gate crest dale point cast folio pilot ridge signal spring tide trail vale vista ward yard bloom bridge ' +
  'cove deck flow haven key house';
const halves = [stems.split(' '), endings.split(' ')] as const;
const NAMES = halves[0].length * halves[1].length;

/** A company, and how answers write its name. */
export interface Company {
  name: string;
  host: string;
  /** As it does, in camel case, with what it sells (or, without a suffix, small), in capitals. */
  spellings: [string, string, string, string];
}

/** One of 2,400 names without repetition, then the same ones numbered. */
export function companyOf(number: number, suffix: string | null): Company {
  // 1009 shares no factor with 2,400, so that neighbours differ in both halves.
  const place = (number * 1009) % NAMES;
  const stem = halves[0][place % halves[0].length]!;
  const ending = halves[1][Math.floor(place / halves[0].length)]!;
  const again = number < NAMES ? '' : ` ${Math.floor(number / NAMES) + 1}`;
  const name = stem + ending + again;
  const camelCase = stem + ending[0]!.toUpperCase() + ending.slice(1) + again;
  const short = suffix === null ? name.toLowerCase() : `${name} ${suffix}`;
  return {
    name,
    host: `${name.toLowerCase().replace(' ', '-')}.example`,
    spellings: [name, camelCase, short, name.toUpperCase()],
  };
}
