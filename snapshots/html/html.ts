import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup that may be put into a page as it stands. */
export type Html = HtmlEscapedString;

type Hole = Html | string | number | readonly Html[] | null;

/** A template whose holes are escaped, unless they are markup already. Null: nothing. */
export function markup(parts: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  const made = html(parts, ...holes.map(withoutControls));
  if (made instanceof Promise) throw new TypeError('a hole of a page is a promise');
  return made;
}

/** For markup that comes from elsewhere, such as a chart. */
export function trusted(text: string): Html {
  return raw(text);
}

/** Names come from answer engines: none of them may turn the text around it. Escaping alone lets those through. */
function withoutControls(hole: Hole): unknown {
  if (typeof hole !== 'string') return hole; // markup is an object that wraps its text
  return hole.replaceAll(/[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv, ' ');
}
