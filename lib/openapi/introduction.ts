import {
  CORE_PERCENT,
  CORE_SIZE,
  EMERGING_PERCENT,
  MIN_CYCLES,
  MIN_PROMPTS_COMPARED,
  SOURCES_SIZE,
  TREND_SIZE,
  WINDOW_DAYS,
} from '../methodology/constants.ts';
import { allowancesInWords } from '../plans.ts';

/** The first text of the documentation page, in Markdown. docs/api.md has the details. */
export const introduction = `
How often AI answer engines name a brand: visibility by engine, stability of its place, share of voice against
competitors, and the domains that engines cite. Everything is measured once a week; asking more often returns the same.

## Keys

Every request needs an API key, as \`Authorization: Bearer <API_KEY>\` or as \`x-api-key: <API_KEY>\`. A key is \`vis_\`
and 48 hexadecimal digits. It is never read from the URL. It gives access to every brand of one workspace. The plan of the
workspace must include API access. Call from a server, script or job: there are no CORS headers.

## Errors

Branch on \`code\`, never on \`message\`. Retry 429 after the seconds in \`Retry-After\`, and 500 with backoff.
Alert a person on 401 and 402. On 404, get the ids from the list of brands again.

## Limits

All keys of a workspace share one allowance per calendar minute: ${allowancesInWords()}, unless the
workspace has its own number. Responses 200, 304, 404, 429 and 500 count; 401 and 402 do not.

Sizes: ${TREND_SIZE} trend points over all engines together, ${SOURCES_SIZE} sources, ${CORE_SIZE} core names for each prompt and engine. Signals,
competitors and sources cover the last ${WINDOW_DAYS} days.

## Caching

Send the \`ETag\` of the response that you have in \`If-None-Match\`. The response is 304, without a body, until the
document changes. A 304 counts.

## Clients

Ask the operator for the packages of two clients. The typed client for Node 20 or newer, Deno and Bun has a method for each
operation, sends conditional requests, repeats what may be repeated, paces itself by the allowance, and verifies proofs offline.
The other gives an assistant tools that read this API, over the Model Context Protocol.

\`/docs/client.py\` of each gateway is a whole client for Python in one file. For spreadsheets, DuckDB and notebooks, one request
returns a table over all brands; an operator also exports published weeks as files, from the same documents.

## What the numbers mean

- **Score**: the percentage of the answered prompts in which the engine named the brand in its latest weekly cycle.
- **Drift band** (\`bandLow\`, \`bandHigh\`): where the score is expected, from the scores of earlier weeks.
- **Significant** (\`isSignificant\`): the score is outside its drift band. \`alerts\` lists exactly these engines. Build
  alerts on this, not on differences between scores. Some alerts are chance: a brand on 8 engines has a false one in 5 to
  29 % of weeks, and 24 such brands have 1 to 8 every week.
- **Same prompts** (\`samePrompts\`): the latest cycle compared with the same prompts in earlier cycles. Added and removed
  prompts cannot move it; another model (\`modelsChanged\`) and more runs per prompt can.
- **Warming up**: fewer than ${MIN_CYCLES} earlier weekly scores (visibility), or fewer than ${MIN_CYCLES} observed cycles (stability). There is
  no band yet, nothing is significant, and placements are provisional.
- **Placement**: by the share of weekly cycles that named the brand. \`core\` from ${CORE_PERCENT} %, \`emerging\` from ${EMERGING_PERCENT} %,
  \`carousel\` below, \`absent\` if never.
- **Interval** (\`lowPct\`, \`highPct\`): the 95 % Wilson confidence interval of a share. Two rows whose intervals overlap
  are tied. It is too wide for the same prompts asked again, and far too narrow for other prompts of that kind.
- **Leaders** (\`leadersByPrompt\`): the first row and all rows that are not behind it, judged prompt by prompt. Null with
  mentions in fewer than ${MIN_PROMPTS_COMPARED} prompts: then use \`leaders\`.
- **Noise floor** (\`noiseFloorPp\`): the smallest gap between two shares that is meaningful for this number of mentions.
- **Won, lost** (\`change\`): the answers to a prompt on an engine name the brand in the latest cycle and not in the one
  before, or the reverse. One answer is one random draw: a single change is not evidence of a trend.
- **Gap**: mentions of competitors minus mentions of the brand, in the answers that cite a domain. Neither it nor the mean
  position (\`avgPosition\`) has an interval: small differences mean nothing.

## Versions

Within v1, fields and operations may be added; nothing is removed, renamed or changed in type. Ignore fields that you do
not know.
`.trim();
