import { markup, trusted } from '../pages/markup.ts';
import { page } from '../pages/page.ts';
import { byId } from './page.ts';
import { download } from './tables.ts';

/** Offers what is on screen, the verdict included, as one HTML file that needs no network and contains no key. */
export async function saveAsFile(name: string): Promise<void> {
  const style = await (await fetch('/explore/page.css')).text();
  const content = staticCopy(byId('content'));
  const verdict = byId('verdict').innerHTML;
  const workspace = byId('workspace').textContent;
  const body = markup`<header id="top">
      <div class="bar">
        <strong>${workspace}</strong>
        <span>${document.title}</span>
        <div class="end">
        ${
          !hasBadge()
            ? markup`<span class="soft">The proof was not checked before this file was saved.</span>`
            : markup`<div id="verdict" class="${byId('verdict').className}">${trusted(verdict)}</div>`
        }
        </div>
      </div>
    </header>
    <main>${trusted(content.innerHTML)}</main>`;
  download(new Blob([page(document.title, style, body)], { type: 'text/html' }), `${name}.html`);
}

/** True if the proof of what is on screen was checked. */
export function hasBadge(): boolean {
  return byId('verdict').querySelector('.badge') !== null;
}

/** Without what needs a script: buttons become their texts, links to other views too, charts are images. */
function staticCopy(content: HTMLElement): HTMLElement {
  const copy = content.cloneNode(true) as HTMLElement;
  for (const gone of copy.querySelectorAll('.screen')) gone.remove();
  for (const control of copy.querySelectorAll('button, a[href^="#"]'))
    control.replaceWith(...control.childNodes);
  for (const chart of copy.querySelectorAll('.chart[role=slider]')) {
    const label = chart.getAttribute('aria-label')!;
    for (const name of chart.getAttributeNames())
      if (/^(?:aria-|role$|tabindex$)/.test(name)) chart.removeAttribute(name);
    chart.setAttribute('role', 'img');
    chart.setAttribute('aria-label', label);
  }
  return copy;
}

/** A part of the name of a file. */
export function slugOf(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60) || 'brand'
  );
}
