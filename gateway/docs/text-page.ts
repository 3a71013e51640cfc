import { Marked } from 'marked';
import type { Tokens } from 'marked';

/** The pages of docs/ that a gateway shows to everyone, each at /docs/NAME. */
export const textPages = ['methodology', 'recipes', 'exporting', 'explore'] as const;

/** Files that programs read, or that are copied whole; from the root of the repository. */
export const servedAsTheyAre = ['docs/methodology.md', 'docs/client.py', 'clients/google/Code.gs'] as const;

/** Where a link of one page of docs/ to a file leads on a gateway; null if a gateway does not have it. */
function addressOf(href: string): string | null {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [file = '', fragment] = href.split('#');
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (name === 'api.md') return '/docs';
  if (servedAsTheyAre.some((path) => path.endsWith(`/${name}`))) return `/docs/${name}`;
  const page = textPages.find((each) => `${each}.md` === name);
  if (page === undefined) return null;
  return fragment === undefined ? `/docs/${page}` : `/docs/${page}#${fragment}`;
}

const marked = new Marked({
  renderer: {
    // Comments: marks for the tests.
    html: () => '',
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const address = addressOf(href);
      return address === null ? text : `<a href="${address}">${text}</a>`;
    },
    // What is wider than the page can be scrolled by keyboard.
    code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
    table({ header, rows }) {
      const row = (cells: Tokens.TableCell[]) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join('')}</tr>`;
      return `<div class="wide" tabindex="0"><table><thead>${row(header)}</thead><tbody>${rows.map(row).join('\n')}</tbody></table></div>\n`;
    },
  },
});

/** A text of docs/ as the content of a page. Its headings have the anchors that links in docs/ use. */
export function contentOf(markdown: string): string {
  return marked.parse(markdown, { async: false });
}

/** The heading of a text. */
export function titleOf(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)![1]!;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
