/**
 * Compares two texts by Unicode code point, for `toSorted` (methodology, Text, order, hosts). JavaScript's `<`
 * compares UTF-16 units, which puts 🚀 (D83D…) before ﬁ (FB01).
 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = a.codePointAt(index)! - b.codePointAt(index)!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * True if white space is folded to single spaces and trimmed (methodology, Text, order, hosts). Does not check NFC:
 * which sequences compose depends on the runtime's version of Unicode.
 */
export function isFolded(text: string): boolean {
  return !/^ | $| {2}|[[\p{Z}\t-\r\u0085]--[ ]]/v.test(text);
}
