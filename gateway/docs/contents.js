import { h } from './html.js';

/** Lists the headings of the page in its menu, with a search. To be called once, when the page is complete. */
export function showContents() {
  fillContents();
  listenToSearch();
  foldMenu();
}

function fillContents() {
  const headings = document.querySelectorAll('h2, h3[id]');
  const entries = Array.from(headings, ({ id, textContent, localName }) =>
    h('li', localName === 'h3' ? { class: 'item' } : {}, h('a', { href: `#${id}` }, textContent)),
  );
  document.getElementById('contents').append(...entries);
}

/** Leaves in the contents what has all words of the search, in its heading or in the text below. */
function listenToSearch() {
  const entries = [...document.querySelectorAll('#contents li')].map((entry) => {
    const heading = document.querySelector(entry.querySelector('a').getAttribute('href'));
    return { entry, text: textBelow(heading).toLowerCase() };
  });
  document.getElementById('search').addEventListener('input', ({ target: { value } }) => {
    const words = value.toLowerCase().split(/\s+/);
    for (const { entry, text } of entries) entry.hidden = !words.every((word) => text.includes(word));
  });
}

/** The text from a heading to the next one. */
function textBelow(heading) {
  const texts = [heading.textContent];
  for (let next = heading.nextElementSibling; next !== null; next = next.nextElementSibling) {
    if (/^h[23]$/.test(next.localName)) break;
    texts.push(next.textContent);
  }
  return texts.join(' ');
}

/** The menu is folded where it would push the page down. */
function foldMenu() {
  const narrow = matchMedia('(width < 60rem)');
  const fold = () => (document.getElementById('menu').open = !narrow.matches);
  narrow.addEventListener('change', fold);
  fold();
}
