import { parametersOf } from './parameters.js';

/**
 * Sample requests that work as they are, with the key and the ids filled in. `address`: the URL of the gateway.
 * `ids`: those that are known, by parameter.
 */
export function samplesOf(path, address, ids = {}) {
  const template = address + path;
  // Only what an id can contain: a field may have anything in it.
  const taken = parametersOf(path).map((parameter) =>
    /^[\w.-]+$/.test(ids[parameter.name] ?? '') ? { ...parameter, hint: ids[parameter.name] } : parameter,
  );
  return [
    { label: 'curl', source: curl(template, taken) },
    { label: 'TypeScript', source: typescript(template, taken) },
    { label: 'Python', source: python(template, taken) },
  ];
}

function curl(template, taken) {
  const url = taken.reduce((text, { name, shell }) => text.replace(`{${name}}`, `$${shell}`), template);
  const values = taken.map(({ shell, hint }) => `${shell}='${hint}'\n`).join('');
  return `SIGHTLINE_API_KEY='vis_…'\n${values}\ncurl -sS --fail-with-body --compressed \\\n  -H "Authorization: Bearer $SIGHTLINE_API_KEY" \\\n  "${url}"\n`;
}

function typescript(template, taken) {
  const url = template.replaceAll('{', '${');
  const values = taken.map(({ name, hint }) => `const ${name} = '${hint}';\n`).join('');
  return `${values}const response = await fetch(\`${url}\`, {
  headers: { Authorization: \`Bearer \${process.env.SIGHTLINE_API_KEY}\` },
});
const body = await response.json();

if (!response.ok) {
  const wait = response.headers.get('Retry-After');
  throw new Error(\`\${body.error.code}\${wait ? \`, try again in \${wait} s\` : ''}\`);
}
console.log(body.data);
`;
}

function python(template, taken) {
  const url = taken.reduce((text, { name, python: own }) => text.replace(name, own), template);
  const values = taken.map(({ python: own, hint }) => `${own} = "${hint}"\n`).join('');
  return `import json
import os
import sys
import urllib.error
import urllib.request

${values}request = urllib.request.Request(
    ${taken.length > 0 ? 'f' : ''}"${url}",
    headers={"Authorization": f"Bearer {os.environ['SIGHTLINE_API_KEY']}"},
)
try:
    with urllib.request.urlopen(request) as response:
        print(json.load(response)["data"])
except urllib.error.HTTPError as error:
    wait = error.headers["Retry-After"]
    sys.exit(json.load(error)["error"]["code"] + (f", try again in {wait} s" if wait else ""))
`;
}
