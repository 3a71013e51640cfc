/** Requests that work when they are pasted, once the key is put in. `address`: of the gateway. */
export function samplesOf(path, address) {
  const template = address + path;
  const needsBrand = path.includes('{brandId}');
  return [
    { label: 'curl', source: curl(template, needsBrand) },
    { label: 'TypeScript', source: typescript(template, needsBrand) },
    { label: 'Python', source: python(template, needsBrand) },
  ];
}

function curl(template, needsBrand) {
  const url = template.replace('{brandId}', '$BRAND_ID');
  const brand = needsBrand ? "BRAND_ID='an id from the list of brands'\n" : '';
  return `SIGHTLINE_KEY='vis_…'\n${brand}\ncurl -sS --fail-with-body --compressed \\\n  -H "Authorization: Bearer $SIGHTLINE_KEY" \\\n  "${url}"\n`;
}

function typescript(template, needsBrand) {
  const url = template.replace('{brandId}', '${brandId}');
  const brand = needsBrand ? "const brandId = 'an id from the list of brands';\n" : '';
  return `${brand}const response = await fetch(\`${url}\`, {
  headers: { Authorization: \`Bearer \${process.env.SIGHTLINE_KEY}\` },
});
const body = await response.json();

if (!response.ok) {
  const wait = response.headers.get('Retry-After');
  throw new Error(\`\${body.error.code}\${wait ? \`, try again in \${wait} s\` : ''}\`);
}
console.log(body.data);
`;
}

function python(template, needsBrand) {
  const url = template.replace('{brandId}', '{brand_id}');
  const brand = needsBrand ? 'brand_id = "an id from the list of brands"\n' : '';
  return `import json
import os
import sys
import urllib.error
import urllib.request

${brand}request = urllib.request.Request(
    ${needsBrand ? 'f' : ''}"${url}",
    headers={"Authorization": f"Bearer {os.environ['SIGHTLINE_KEY']}"},
)
try:
    with urllib.request.urlopen(request) as response:
        print(json.load(response)["data"])
except urllib.error.HTTPError as error:
    wait = error.headers["Retry-After"]
    sys.exit(json.load(error)["error"]["code"] + (f", try again in {wait} s" if wait else ""))
`;
}
