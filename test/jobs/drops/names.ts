import * as fc from 'fast-check';

/** Names that are one and the same, or nearly, by Unicode. */
const awkward = [
  'Acme',
  'ACME',
  ' acme\t',
  'Ac  me',
  'Ac\u00a0\u2003me',
  'Café',
  'Cafe\u0301',
  'CAFÉ\u2028',
  'İstanbul',
  'istanbul',
  'I\u0307stanbul',
  'Σίσυφος',
  'ΣΊΣΥΦΟΣ',
  '🚀 Rocket',
  'ﬁne',
  '\ufeffAcme',
  '\ufeff',
  '\u200bAcme',
  'a\u0000b',
  'a\u0000e\u0301',
  '\u0085Acme\u0085',
  'Å',
  'Å',
  'A\u030a',
  'ẛ̣',
  '𝒜cme',
  '가',
  '\u1100\u1161',
  '"quoted\\"',
  "it's; drop table run --",
  '1',
  'null',
];

const character = fc.oneof(
  fc.constantFrom(...Array.from('aAbB eéİıΣςσ\u0301\u0307\u0327 \u00a0\u0085\u3000\ufeff\u0000🚀ﬁ')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter(isSettled),
);

/** DuckDB's tables of Unicode are older than Node's: letters and marks that only one of them knows are left out. */
function isSettled(text: string): boolean {
  return (
    text.isWellFormed() &&
    /^[\p{ASCII}\p{Script=Latin}\p{Script=Greek}\p{Script=Hangul}\u0300-\u036f\u0591-\u05bd\u064b-\u065f\p{Z}]$/u.test(
      text,
    ) &&
    !/[\ua7c0-\ua7ff]/u.test(text)
  );
}

export const names = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...awkward) },
  {
    weight: 1,
    arbitrary: fc.array(character, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
  },
);

/** A few of them come often, so that questions name brands. */
export const brandNames = fc.oneof(fc.constantFrom('Acme', 'Cafe\u0301', 'a'), names);

/** Prompts, some of which name a brand. */
export const questions = fc.oneof(
  { weight: 2, arbitrary: brandNames },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('Is ', 'x', '(', '_', '5', '\u0301'),
        brandNames,
        fc.constantFrom(' good?', '', 's', ')', '٣'),
      )
      .map((parts) => parts.join('')),
  },
);

/** Links to answers and events. */
export const links = fc.constantFrom(
  'https://answers.example/1',
  'HTTP://answers.example/"quoted"\\',
  'https://münchen.example/ü?q=%20#x',
  'http://x',
);

const hosts = [
  'acme.example',
  'www.acme.example',
  'WWW.Acme.EXAMPLE',
  'acme.example.',
  'www.www.acme.example',
  'shop.acme.example',
  'notacme.example',
  'user:pw@acme.example',
  'acme.example:8443',
  '[2001:DB8::1]',
  '[::ffff:192.0.2.1]:80',
  '[::1',
  'münchen.example',
  'mu\u0308nchen.example',
  'İ.example',
  'www.',
  'www..',
  '.',
  'a_b.example',
  'a b.example',
  'a%20b.example',
  'a@b@acme.example',
  'acme.example:',
  'acme.example:80:80',
  '🚀.example',
  'ﬁ.example',
];
const schemes = [
  'https://',
  'HTTP://',
  '//',
  '',
  '',
  'ftp://',
  'https:/',
  ' https://',
  'mailto:',
  ' MailTo:',
];
const rests = ['', '/', '/a b?c=d#e', '?q=www.x.example', '#x', '/line\nbreak', ' '];
const written = fc
  .tuple(fc.constantFrom(...schemes), fc.constantFrom(...hosts), fc.constantFrom(...rests))
  .map((parts) => parts.join(''));
const odd = fc.array(fc.constantFrom(...Array.from('aw.w:/?#@[]%1 \u00a0\nİ'), 'www.', 'http://', '//'), {
  maxLength: 10,
});

/** Websites and citations, some of them unreadable. */
export const urls = fc.oneof(
  { weight: 5, arbitrary: written },
  { weight: 1, arbitrary: odd.map((parts) => parts.join('')) },
);
/** Those that are no reason to refuse a record. */
export const readableUrls = fc
  .tuple(
    fc.constantFrom('https://', 'HTTP://', '//', ''),
    fc.constantFrom(...hosts.slice(0, 11)),
    fc.constantFrom(...rests),
  )
  .map((parts) => parts.join(''));
