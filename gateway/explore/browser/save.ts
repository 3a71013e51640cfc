import { markup, trusted } from '../pages/markup.ts';
import { page } from '../pages/page.ts';
import { byId } from './page.ts';

/** Offers what is on screen, the verdict included, as one HTML file that needs no network and contains no key. */
export async function saveAsFile(title: string): Promise<void> {
  const style = await (await fetch('/explore/page.css')).text();
  const week = byId('week-name').textContent;
  const verdict = byId('verdict').innerHTML;
  const content = byId('content').cloneNode(true) as HTMLElement;
  for (const link of content.querySelectorAll('a[href^="#"]')) {
    // Other brands are not in the file.
    if (content.querySelector(`[id="${link.getAttribute('href')!.slice(1)}"]`) === null)
      link.replaceWith(...link.childNodes);
  }
  const body = markup`<main>
    <h1>${title}, ${week}</h1>
    ${verdict === '' ? markup`<p class="soft">The proof was not checked before this file was saved.</p>` : markup`<div id="verdict">${trusted(verdict)}</div>`}
    ${trusted(content.innerHTML)}
  </main>`;
  const file = new Blob([page(title, style, "'unsafe-inline'", body)], { type: 'text/html' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `brand-visibility-${week.replace(/^as of /, '')}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
}
