import { isIPv6 } from 'node:net';

/** Tidy text (methodology, Text, order, hosts). */
export function tidy(text: string): string {
  return trim(text.normalize('NFC').replace(/\p{White_Space}+/gu, ' '));
}

const isSolid = (character: string) => !/^\p{White_Space}$/u.test(character);

export function trim(text: string): string {
  const characters = Array.from(text);
  return characters.slice(characters.findIndex(isSolid), characters.findLastIndex(isSolid) + 1).join('');
}

/** Simple lower case, a character at a time; İ is the one whose full mapping has more than one. */
export function lowerCase(text: string): string {
  const lower = Array.from(text).map((character) => (character === 'İ' ? 'i' : character.toLowerCase()));
  return lower.join('').normalize('NFC');
}

const isWordPart = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** True if a text has a name with no letter or digit next to it (methodology, Verdicts). */
export function namesBrand(text: string, name: string): boolean {
  const [all, part] = [text, name].map((each) => Array.from(lowerCase(tidy(each)))) as [string[], string[]];
  return all.some((_, at) => {
    const found = part.every((character, index) => all[at + index] === character);
    return found && !isWordPart(all[at - 1]) && !isWordPart(all[at + part.length]);
  });
}

/** By code point. */
export function byText(a: string, b: string): number {
  const [left, right] = [codePoints(a), codePoints(b)];
  const at = left.findIndex((point, index) => point !== right[index]);
  if (at === -1) return left.length - right.length;
  return at >= right.length ? 1 : left[at]! - right[at]!;
}

function codePoints(text: string): number[] {
  return Array.from(text).map((character) => character.codePointAt(0)!);
}

/** The host in a text; null if it contains none. */
export function hostOf(text: string): string | null {
  if (trim(text).slice(0, 7).toLowerCase() === 'mailto:') return null;
  const afterScheme = trim(text).replace(/^(https?:\/\/|\/\/)/i, '');
  const authority = /^[^/?#]*/.exec(afterScheme)![0];
  const [host, ...more] = authority.split('@').toReversed();
  if (more.length > 1) return null;
  const address = host!.replace(/:[0-9]+$/, '');
  if (!isAddress(address) && !isName(address)) return null;
  const published = lowerCase(address)
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  return published === '' ? null : published;
}

function isAddress(text: string): boolean {
  return text.startsWith('[') && text.endsWith(']') && !text.includes('%') && isIPv6(text.slice(1, -1));
}

function isName(text: string): boolean {
  return text !== '' && Array.from(text).every((c) => !'/?#:@[]%'.includes(c) && !/\p{White_Space}/u.test(c));
}
