import { showContents } from './contents.js';
import { fieldsOf, resolve } from './fields.js';
import { definitions, h, listing, markdown } from './html.js';
import { keyForm, requestForm } from './try.js';

const description = await (await fetch('/openapi.json')).json();
const address = location.origin;
const operations = Object.entries(description.paths).map(([path, { get }]) => ({ path, ...get }));
const [first] = operations;
/** The documents of a brand in a week of the past: they differ in the last part of the path only. */
const past = operations.filter(({ path }) => path.startsWith('/api/v1/snapshots/{snapshotId}/brands/'));
/** By schema: the operation that lists its fields. Other operations with the same schema link to it. */
const shownAt = new Map();
const [lead, ...introduction] = markdown(description.info.description);

document.querySelector('h1').after(lead);
document.getElementById('loading').remove();
document
  .getElementById('content')
  .append(
    h('h2', { id: 'first-request' }, 'Your first request'),
    h(
      'p',
      {},
      'Enter your key and list the brands of your workspace. The ids in the response lead to everything else.',
    ),
    keyForm(),
    ...requestForm([first], 'first'),
    ...description.tags.flatMap(groupSection),
    ...proofSection(),
    h('h2', { id: 'status-codes' }, 'Errors by status'),
    definitions(errors()),
    h('h2', { id: 'headers' }, 'Response headers'),
    definitions(responseHeaders()),
    ...introduction,
  );
showContents();
// The target of the URL's fragment exists only now.
document.getElementById(location.hash.slice(1))?.scrollIntoView();

/** A section with the operations of one tag. */
function groupSection({ name, description: text }) {
  const own = operations.filter((operation) => operation.tags.includes(name) && !past.includes(operation));
  return [
    h('h2', { id: `group-${name}`, class: 'group' }, name),
    h('p', {}, text),
    ...own.flatMap(operationSection),
    ...(past.some(({ tags }) => tags.includes(name)) ? pastSection() : []),
  ];
}

/** The section about proofs. */
function proofSection() {
  return [
    h('h2', { id: 'prove-a-week' }, 'Read a week again and prove it'),
    h(
      'p',
      {},
      'Every published document can be read again, byte for byte. This command of sightline-client, which you install first, reads every document of a snapshot with the proof, and verifies on your machine that the manifest lists exactly these bytes, that the transparency log contains the manifest, and that the log is signed. Get the public key from the operator of the service, not from this server.',
    ),
    listing(
      `export SIGHTLINE_URL='${address}' SIGHTLINE_API_KEY='vis_…'\nnpx --no sightline-client verify --public-key public-key.pem --snapshot "$SNAPSHOT_ID"\n`,
      'How to prove a week',
    ),
  ];
}

function operationSection(operation) {
  const { path, operationId, summary, responses } = operation;
  const { schema, examples } = responses[200].content['application/json'];
  return [
    h('h3', { id: operationId }, summary),
    h('p', {}, h('code', {}, `GET ${path}`)),
    h('p', {}, operation.description),
    ...requestForm([operation], operationId),
    ...responseParts(operation, schema, Object.values(examples)[0]),
  ];
}

/** One form for all of them. Their fields are those of the current documents. */
function pastSection() {
  const links = past.flatMap(({ operationId, summary, responses }) => {
    const shown = shownAt.get(responses[200].content['application/json'].schema.$ref);
    return [', ', h('a', { id: operationId, href: `#${shown.operationId}`, title: summary }, shown.summary)];
  });
  return [
    h('h3', { id: 'document-of-a-snapshot' }, 'A document of a snapshot'),
    h('p', {}, h('code', {}, 'GET /api/v1/snapshots/{snapshotId}/brands/{brandId}/{document}')),
    h('p', {}, 'The exact bytes that were served while the snapshot was the current one. They never change.'),
    ...requestForm(past, 'past'),
    h('p', {}, 'Fields and examples: see ', ...links.slice(1), '.'),
  ];
}

function responseParts({ operationId, summary }, schema, example) {
  const shown = shownAt.get(schema.$ref);
  if (shown !== undefined) {
    const link = h('a', { href: `#${shown.operationId}` }, shown.summary);
    return [h('p', {}, 'Fields and example: see ', link, '.')];
  }
  shownAt.set(schema.$ref, { operationId, summary });
  const fields = fieldsOf(description, resolve(description, schema).properties.data, 'data');
  const { value } = resolve(description, example);
  return [
    h(
      'div',
      { class: 'columns' },
      h('div', {}, h('h4', {}, 'Response fields'), definitions(fields)),
      h(
        'div',
        { class: 'example' },
        h('h4', {}, 'Example response'),
        listing(JSON.stringify(value, null, 2), `Example response of ${summary}`),
      ),
    ),
  ];
}

function errors() {
  const failed = statuses().filter(([status]) => status >= '400');
  return failed.flatMap(([status, response]) =>
    Object.entries(response.content['application/json'].examples).map(([code, { value }]) => [
      code,
      status,
      `${response.description} Message: “${value.error.message}”`,
    ]),
  );
}

/** Each response header once, with the statuses that have it. */
function responseHeaders() {
  const rows = new Map();
  for (const [status, { headers }] of statuses()) {
    for (const [name, header] of Object.entries(headers)) {
      const row = rows.get(name) ?? { on: [], meanings: new Set() };
      row.on.push(status);
      row.meanings.add(resolve(description, header).description);
      rows.set(name, row);
    }
  }
  return [...rows].map(([name, { on, meanings }]) => [name, `on ${on.join(', ')}`, [...meanings].join(' ')]);
}

/** Every response of an operation on a brand, by status. */
function statuses() {
  const { responses } = operations.find(({ path }) => path.includes('{brandId}'));
  return Object.entries(responses).map(([status, response]) => [status, resolve(description, response)]);
}
