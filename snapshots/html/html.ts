/** Markup that may be put into a page as it stands. */
export interface Html {
  readonly markup: string;
}

type Hole = Html | string | number | readonly Html[] | null;

/** A template whose holes are escaped, unless they are markup already. Null: nothing. */
export function markup(parts: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  const filled = holes.map((hole, index) => `${escapeHole(hole)}${parts[index + 1]}`);
  return { markup: `${parts[0]}${filled.join('')}` };
}

/** For markup that comes from elsewhere, such as a chart. */
export function trusted(text: string): Html {
  return { markup: text };
}

function escapeHole(hole: Hole): string {
  if (hole === null) return '';
  if (typeof hole === 'string' || typeof hole === 'number') return escape(String(hole));
  return 'markup' in hole ? hole.markup : hole.map((each) => each.markup).join('');
}

/** Names come from answer engines: none of them may become markup, or turn the text around it. */
function escape(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(/[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv, ' ');
}
