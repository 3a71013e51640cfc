import type { JudgedChange } from './diff.ts';
import type { Json } from './changes.ts';

/** Where a change is, in words: `perEngine › chatgpt › score`. */
export function placeOf({ path, change }: Pick<JudgedChange, 'path' | 'change'>): string {
  const place = path.join(' › ');
  return change === 'changed' ? place : `${place} (${change})`;
}

const LONGEST = 60;

/** A value for people: short, and a row by what stands in it. */
export function valueText(value: Json): string {
  if (value === null) return '–';
  if (typeof value === 'string') return shorten(value);
  if (Array.isArray(value)) return shorten(value.map((each) => valueText(each)).join(', '));
  if (typeof value !== 'object') return String(value);
  const fields = Object.entries(value).filter(([, field]) => typeof field !== 'object' || field === null);
  return shorten(fields.map(([name, field]) => `${name} ${valueText(field)}`).join(', '));
}

function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const graphemes = Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
  return graphemes.length > LONGEST ? `${graphemes.slice(0, LONGEST - 1).join('')}…` : text;
}
