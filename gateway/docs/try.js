import { h, listing } from './html.js';

const brandIds = h('datalist', { id: 'brand-ids' });
const keyField = h('input', { type: 'password', id: 'key', autocomplete: 'off', spellcheck: 'false' });

/** The field for the key, which is in no other place: not in a store of the browser, not in the address. */
export function keyForm() {
  return h(
    'div',
    { class: 'try' },
    h('label', { for: 'key' }, 'API key'),
    keyField,
    h('div', {}, 'Stays in this field: it is sent to this gateway only, and gone when you leave the page.'),
    brandIds,
  );
}

/** Sends the request of an operation and shows what came back. */
export function requestForm(path, operationId) {
  const output = h('output', { 'aria-live': 'polite' });
  const brandField = h('input', { type: 'text', id: `brand-${operationId}`, list: 'brand-ids' });
  const needsBrand = path.includes('{brandId}');
  const form = h(
    'form',
    { class: 'try' },
    ...(needsBrand ? [h('label', { for: brandField.id }, 'Brand id'), brandField] : []),
    h('button', {}, `Send GET ${path}`),
    output,
  );
  brandField.classList.add('brand');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const missing = [keyField, ...(needsBrand ? [brandField] : [])].find(({ value }) => value.trim() === '');
    if (missing === undefined)
      void send(path.replace('{brandId}', encodeURIComponent(brandField.value)), output);
    else missing.focus();
  });
  return form;
}

async function send(path, output) {
  output.replaceChildren('Waiting for the response.');
  try {
    const headers = { Authorization: `Bearer ${keyField.value.trim()}` };
    const response = await fetch(path, { headers, cache: 'no-store' });
    const body = await response.json();
    const remaining = response.headers.get('X-RateLimit-Remaining');
    const left = remaining === null ? '' : `, ${remaining} requests left in this minute`;
    output.replaceChildren(
      `Status ${response.status}${left}`,
      listing(JSON.stringify(body, null, 2), `Response of ${path}`),
    );
    if (response.ok && Array.isArray(body.data)) offerBrands(body.data);
  } catch (error) {
    output.replaceChildren(`No response: ${error.message}`);
  }
}

function offerBrands(brands) {
  brandIds.replaceChildren(...brands.map(({ id, name }) => h('option', { value: id }, name)));
  for (const field of document.querySelectorAll('input.brand')) field.value ||= brands[0]?.id ?? '';
}
