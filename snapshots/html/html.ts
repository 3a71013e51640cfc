import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup that is inserted into a page unescaped. */
export type Html = HtmlEscapedString;

type Hole = Html | string | number | readonly Html[] | null;

/** A template tag that escapes interpolated values, except markup. Null and undefined become ''. */
export function markup(parts: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  const made = html(parts, ...holes.map(withoutControls));
  if (made instanceof Promise) throw new TypeError('a hole of a page is a promise');
  return made;
}

/** Marks text from a trusted source, such as a chart, as markup. */
export function trusted(text: string): Html {
  return raw(text);
}

/**
 * Replaces control characters, which escaping keeps: a name from an answer engine must not reverse the text after it.
 */
function withoutControls(hole: Hole): unknown {
  if (typeof hole !== 'string') return hole; // markup is an object that wraps its text
  return hole.replaceAll(/[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv, ' ');
}
