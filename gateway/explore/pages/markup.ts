import type { Part } from './parts.ts';

/** Text that is inserted into a page unescaped, with the parts of its elements. */
export class Html {
  readonly text: string;
  /** By the id of the element. */
  readonly parts: ReadonlyMap<string, Part>;

  constructor(text: string, parts: ReadonlyMap<string, Part> = new Map()) {
    this.text = text;
    this.parts = parts;
  }
}

type Hole = Html | string | number | readonly Html[] | null | undefined;

/** A template tag that escapes interpolated values, except markup. Null and undefined become ''. */
export function markup(parts: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  const inside = holes.flat().filter((hole) => hole instanceof Html);
  return new Html(
    String.raw({ raw: parts }, ...holes.map(textOf)),
    new Map(inside.flatMap((html) => [...html.parts])),
  );
}

/** Marks text from a trusted source, such as a saved style sheet, as markup. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** A text between others; markup of {@link isolatedName}s in it. */
export function withNames(text: string): Html {
  const parts = text.split(/\u2068([^\u2069]*)\u2069/);
  return markup`${parts.map((part, index) => (index % 2 === 0 ? markup`${part}` : nameOf(part)))}`;
}

/** A name: one that is written from right to left does not change the order of what stands around it. */
export function nameOf(name: string): Html {
  return markup`<bdi>${name}</bdi>`;
}

let placed = 0;

/** Markup that needs the id of an element, with the part that belongs to this element. */
export function withPart(part: Part, place: (id: string) => Html): Html {
  placed += 1;
  const id = `part-${placed}`;
  return new Html(place(id).text, new Map([[id, part]]));
}

function textOf(hole: Hole): string {
  if (hole === null || hole === undefined) return '';
  if (hole instanceof Html) return hole.text;
  if (typeof hole === 'object') return hole.map(({ text }) => text).join('');
  return String(hole)
    .replaceAll(CONTROLS, ' ')
    .replaceAll(/[&<>"']/g, (character) => entities[character]!);
}

/** Escaping would keep them: a name from an answer engine must not reverse the text after it. */
const CONTROLS = /[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
