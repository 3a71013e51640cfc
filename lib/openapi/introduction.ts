/** The text that documentation pages show first (spec 1, 5, 7, 8 and 9, in short). */
export const introduction = `
How often AI answer engines name a brand: visibility by engine, stability of its place, share of voice against
competitors, and the domains that engines cite. Everything is measured once a week, so asking more often returns the same.

**Keys.** Every request needs an API key, as \`Authorization: Bearer <API_KEY>\` or as \`x-api-key: <API_KEY>\`. It is never
read from the address. A key reads every brand of its one workspace. The workspace's plan must include API access. Call from a
server, script or job: there are no CORS headers.

**Errors.** Branch on \`code\`, never on \`message\`. Retry 429 after the seconds in \`Retry-After\`, and 500 with backoff.
Tell a person about 401 and 402. Take 404 as a stale id.

**Allowance.** So many requests a minute for the workspace, shared by all its keys. Responses 401 and 402 do not count.

**Caching.** Send the \`ETag\` of what you have in \`If-None-Match\`: 304 says that nothing has changed. It counts.

**Versions.** Within v1 fields and operations may be added; nothing is removed, renamed or changed in type. Ignore fields that
you do not know.
`.trim();
