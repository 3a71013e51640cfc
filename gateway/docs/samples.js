import { samplesOf } from './examples.js';
import { h, listing } from './html.js';

/** The request in three languages; choosing one applies to the whole page. `update` fills in a path and ids. */
export function samples(summary, name) {
  const blocks = ['curl', 'TypeScript', 'Python'].map((language) => {
    const block = listing('', `${summary} in ${language}, ${name}`);
    block.dataset.language = language;
    block.hidden = language !== 'curl';
    return block;
  });
  const choices = blocks.map(({ dataset: { language } }) => {
    const input = h('input', { type: 'radio', name: `language-${name}`, value: language });
    input.checked = language === 'curl';
    input.addEventListener('change', () => showLanguage(language));
    return h('label', {}, input, ` ${language}`);
  });
  const update = (path, ids) => {
    for (const [index, { source }] of samplesOf(path, location.origin, ids).entries())
      blocks[index].firstChild.textContent = source;
  };
  const choice = h('fieldset', {}, h('legend', {}, 'The request in'), ...choices, copyButton(blocks));
  return { parts: [choice, ...blocks], update };
}

/** Copies the block that is shown. Browsers have no clipboard for pages over plain HTTP, except on localhost. */
function copyButton(blocks) {
  const button = h('button', { type: 'button', class: 'copy' }, 'Copy');
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(blocks.find(({ hidden }) => !hidden).textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  return button;
}

function showLanguage(language) {
  for (const input of document.querySelectorAll('fieldset input')) input.checked = input.value === language;
  for (const block of document.querySelectorAll('pre[data-language]'))
    block.hidden = block.dataset.language !== language;
}
