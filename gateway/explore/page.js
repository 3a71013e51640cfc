// clients/typescript/src/words.ts
/** The display names of the engines. */
const engineNames = {
	ai_mode: "Google AI Mode",
	ai_overview: "Google AI Overviews",
	chatgpt: "ChatGPT",
	claude: "Claude",
	deepseek: "DeepSeek",
	gemini: "Gemini",
	grok: "Grok",
	perplexity: "Perplexity"
};
Object.keys(engineNames);
/** The display name of an engine; an unknown slug is returned unchanged. */
function engineName(slug) {
	return Object.hasOwn(engineNames, slug) ? engineNames[slug] : slug;
}
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/**
* A name for use in a sentence. One with letters that are written from right to left stands between U+2068 and U+2069, so
* that it does not change the order of the words and numbers beside it.
*/
function isolatedName(name) {
	const plain = name.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, " ");
	return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}
/**
* A brand's week in plain sentences: first the engines that moved, and whether chance rarely causes that; then everything
* else, and the names that lead. Made from the published verdicts only: `samePrompts` and `leadersByPrompt` where they
* exist, otherwise `isSignificant` and `tiedForLead`.
* @param competitors null if that document is not known; the leaders are then left out
*/
function weekInWords(brandName, visibility, competitors) {
	const { perEngine } = visibility;
	const brand = isolatedName(brandName);
	if (perEngine.length === 0) return [`No engine has answered a prompt of ${brand} yet.`];
	const moved = [...perEngine.filter(isBeyondChance), ...perEngine.filter(mayBeChance)];
	const standing = competitors === null ? "" : `; ${standingInWords(brandName, competitors)}`;
	return [
		...moved.slice(0, DESCRIBED).map((engine) => movementInWords(brand, engine)),
		...othersInWords(moved.slice(DESCRIBED)),
		`${restInWords(perEngine, moved)}${standing}.`
	];
}
/** Further engines that moved are named only. */
const DESCRIBED = 2;
/** True if the engine's latest week is reported as a change: by its prompts, or by its band. */
function hasMoved({ isSignificant, samePrompts }) {
	return isSignificant || samePrompts?.isSignificant === true;
}
/** True if the change is more than chance usually causes: by its prompts where compared, otherwise by its band. */
function isBeyondChance({ isSignificant, samePrompts }) {
	return isCompared(samePrompts) ? samePrompts.isSignificant : isSignificant;
}
/** True if the score is outside its band, but its prompts, compared with themselves, do not confirm it. */
function mayBeChance(engine) {
	return hasMoved(engine) && !isBeyondChance(engine);
}
/** False also if the two weeks have no prompt in common. */
function isCompared(samePrompts) {
	return samePrompts !== null && samePrompts.prompts > 0;
}
function movementInWords(brand, engine) {
	const { slug, score, bandLow, bandHigh, samePrompts, modelsChanged } = engine;
	const name = engineName(slug);
	const cause = modelsChanged === true ? " Its model changed, which may be the reason." : "";
	if (!isCompared(samePrompts)) return `${name} is outside its usual range for ${brand}: ${score} %, expected ${bandLow} to ${bandHigh} %. ${verdict(bandLow !== null && score < bandLow)}${cause}`;
	const { named, prompts, expected } = samePrompts;
	const counts = `${named} of ${prompts} ${prompts === 1 ? "prompt" : "prompts"}, ${expected} expected`;
	if (mayBeChance(engine)) return `${name} is outside its usual range for ${brand} (${score} %), but prompt by prompt that may be chance: ${counts}.${cause}`;
	const isFewer = named < expected;
	return `${name} ${named === 0 ? `stopped naming ${brand}` : `names ${brand} in ${isFewer ? "fewer" : "more"} prompts`}: ${counts}. ${verdict(isFewer)}${cause}`;
}
/** What chance does to one engine; not how likely it is that chance was the reason. */
function verdict(isLower) {
	return `Chance rarely causes such a ${isLower ? "drop" : "rise"}.`;
}
function othersInWords(others) {
	const sentence = (engines, verdictText) => engines.length === 0 ? [] : [`${listOf(engines.map(({ slug }) => engineName(slug)))} moved too, ${verdictText}.`];
	return [...sentence(others.filter(isBeyondChance), "more than chance usually causes"), ...sentence(others.filter(mayBeChance), "but prompt by prompt that may be chance")];
}
/** The engines that did not move, without the full stop. */
function restInWords(perEngine, moved) {
	const rest = perEngine.filter((engine) => !moved.includes(engine));
	const warming = rest.filter(({ isWarmingUp }) => isWarmingUp);
	if (rest.length === 0) return "No other engine has a score";
	if (warming.length === rest.length) return moved.length === 0 ? "All engines are warming up, so nothing can be judged yet" : "All other engines are warming up";
	const calm = `${moved.length === 0 ? "Every engine" : "Everything else"} is within its usual range`;
	if (warming.length === 0) return calm;
	return `${calm}, but ${listOf(warming.map(({ slug }) => engineName(slug)))} ${warming.length === 1 ? "is" : "are"} warming up`;
}
/** The rows that lead: by prompt where that is known, otherwise by the intervals of the shares. */
function leadingRows({ shareOfVoice, leadersByPrompt }) {
	return shareOfVoice.filter((row) => leadersByPrompt !== null ? row.behindLeader?.isBehind !== true : row.tiedForLead);
}
/** Which names lead the share of voice, without the full stop. */
function standingInWords(brandName, competitors) {
	const brand = isolatedName(brandName);
	if (competitors.shareOfVoice.every(({ isBrand }) => isBrand)) return "no competitors are tracked";
	if (competitors.totalMentions === 0) return `neither ${brand} nor a competitor was named in the last 14 days`;
	const leading = leadingRows(competitors);
	const names = listOf(leading.map(({ name }) => isolatedName(name)));
	const isLeading = leading.some(({ isBrand }) => isBrand);
	if (leading.length === 1) return isLeading ? `${brand} leads` : `${names} leads, and ${brand} is behind`;
	const tie = `${names} cannot be told apart`;
	return isLeading ? tie : `${tie}, and ${brand} is behind`;
}
/** More names than this are counted, not listed. */
const LISTED = 4;
function listOf(names) {
	const shown = names.length > LISTED ? [...names.slice(0, 3), `${names.length - LISTED + 1} others`] : names;
	return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}
// lib/documents/kinds.ts
/** The documents of each brand. The workspace has one more, `brands`. */
const documentKinds = [
	"visibility",
	"stability",
	"competitors",
	"sources",
	"results",
	"prompts"
];
[...documentKinds];
// snapshots/pages/markup.ts
/** Text that is inserted into a page unescaped. */
var Html = class {
	text;
	constructor(text) {
		this.text = text;
	}
};
/** A template tag that escapes interpolated values, except markup. Null and undefined become ''. */
function markup(parts, ...holes) {
	return new Html(String.raw({ raw: parts }, ...holes.map(textOf)));
}
/** Marks text from a trusted source, such as a chart, as markup. */
function trusted(text) {
	return new Html(text);
}
/** A text between others; markup of {@link isolatedName}s in it. */
function withNames(text) {
	return markup`${text.split(/\u2068([^\u2069]*)\u2069/).map((part, index) => index % 2 === 0 ? markup`${part}` : nameOf(part))}`;
}
/** A name: one that is written from right to left does not change the order of what stands beside it. */
function nameOf(name) {
	return markup`<bdi>${name}</bdi>`;
}
function textOf(hole) {
	if (hole === null || hole === void 0) return "";
	if (hole instanceof Html) return hole.text;
	if (typeof hole === "object") return hole.map(({ text }) => text).join("");
	return String(hole).replaceAll(CONTROLS, " ").replaceAll(/[&<>"']/g, (character) => entities[character]);
}
/** Escaping would keep them: a name from an answer engine must not reverse the text after it. */
const CONTROLS = /[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv;
const entities = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	"\"": "&quot;",
	"'": "&#39;"
};
// snapshots/pages/charts.ts
const [WIDTH, HEIGHT] = [330, 134];
const plot = {
	left: 30,
	right: WIDTH - 8,
	top: 8,
	bottom: HEIGHT - 22
};
const heightOf = (percent) => between(plot.bottom, plot.top, percent / 100);
/** Scores in percent over time, oldest first, with bands, events, and changes of the model. */
function lineChart(labels, points, marks) {
	const [first, last] = [daysOf(points[0].date), daysOf(points.at(-1).date)];
	const x = (date) => first === last ? (plot.left + plot.right) / 2 : between(plot.left, plot.right, (daysOf(date) - first) / (last - first));
	const inside = marks.filter(({ date }) => daysOf(date) >= first && daysOf(date) <= last);
	return drawing(labels, WIDTH, HEIGHT, [
		...[
			0,
			50,
			100
		].map((percent) => markup`<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${heightOf(percent)}" y2="${heightOf(percent)}"/>
      <text x="${plot.left - 5}" y="${heightOf(percent) + 3.5}" text-anchor="end">${percent}</text>`),
		...dateLabels(points, x),
		band(points, x),
		...inside.map(({ date, text }) => markup`<line class="event" x1="${x(date)}" x2="${x(date)}" y1="${plot.top}" y2="${plot.bottom}"><title>${date}: ${text}</title></line>`),
		markup`<polyline class="line" points="${points.map(({ date, score }) => `${x(date)},${heightOf(score)}`).join(" ")}"/>`,
		...points.filter(({ modelsChanged }) => modelsChanged).map(({ date, score }) => modelChange(x(date), heightOf(score))),
		...points.map((point, index) => dot(point, index === points.length - 1, x(point.date), heightOf(point.score)))
	]);
}
/** The bands of consecutive weeks as areas; a week without a neighbour as a bar. */
function band(points, x) {
	const runs = [];
	let run = [];
	for (const point of points) if (point.bandLow === null) run = [];
	else if (run.push(point) === 1) runs.push(run);
	return markup`${runs.map((part) => {
		const high = part.map((point) => `${x(point.date)},${heightOf(point.bandHigh)}`);
		const low = part.map((point) => `${x(point.date)},${heightOf(point.bandLow)}`).toReversed();
		return part.length === 1 ? markup`<rect class="band" x="${x(part[0].date) - 5}" width="10" y="${heightOf(part[0].bandHigh)}" height="${heightOf(part[0].bandLow) - heightOf(part[0].bandHigh)}"/>` : markup`<polygon class="band" points="${[...high, ...low].join(" ")}"/>`;
	})}`;
}
/** A diamond outside the band, so that colour is not the only sign. */
function dot({ isSignificant }, isLatest, x, y) {
	if (isSignificant) return markup`<path class="outside" d="M${x} ${y - 6}l6 6l-6 6l-6 -6z"/>`;
	return isLatest ? markup`<circle class="dot" cx="${x}" cy="${y}" r="3.5"/>` : null;
}
function modelChange(x, y) {
	return markup`<path class="model" d="M${x} ${y - 9}l4 -7h-8z"><title>The model behind the engine changed.</title></path>`;
}
/** The first date, the last one, and one between them. */
function dateLabels(points, x) {
	const shown = [.../* @__PURE__ */ new Set([
		0,
		Math.floor((points.length - 1) / 2),
		points.length - 1
	])];
	return shown.map((index, place) => {
		const { date } = points[index];
		const anchor = shown.length === 1 ? "middle" : place === 0 ? "start" : place === shown.length - 1 ? "end" : "middle";
		return markup`<text x="${x(date)}" y="${HEIGHT - 6}" text-anchor="${anchor}">${dayInWords(date)}</text>`;
	});
}
/** Less than this many points of difference must not look like a change. */
const SPARK_SPAN = 40;
/** A line without axes for a cell of a table: values from 0 to 100, oldest first. */
function sparkline(labels, values) {
	const [width, height] = [96, 24];
	const x = (index) => between(2, width - 4, values.length === 1 ? 1 : index / (values.length - 1));
	const middle = (Math.min(...values) + Math.max(...values)) / 2;
	const span = Math.max(SPARK_SPAN, Math.max(...values) - Math.min(...values));
	const y = (value) => between(height - 3, 3, .5 + (value - middle) / span);
	return drawing(labels, width, height, [markup`<polyline class="line" points="${values.map((value, index) => `${x(index)},${y(value)}`).join(" ")}"/>`, markup`<circle class="dot" cx="${x(values.length - 1)}" cy="${y(values.at(-1))}" r="2.5"/>`]);
}
const ROW = 24;
const NAMES = 170;
/** A percentage with its interval for each name, in the given order. */
function intervalChart(labels, rows) {
	const [width, height] = [520, rows.length * ROW + 24];
	const most = Math.min(100, Math.ceil((Math.max(...rows.map(({ high }) => high)) + 1) / 10) * 10);
	const x = (percent) => between(180, width - 14, percent / most);
	return drawing(labels, width, height, [...[
		0,
		most / 2,
		most
	].map((percent) => markup`<line class="grid" x1="${x(percent)}" x2="${x(percent)}" y1="0" y2="${height - 20}"/>
      <text x="${x(percent)}" y="${height - 6}" text-anchor="middle">${percent} %</text>`), ...rows.map(({ name, low, value, high, isBrand }, index) => {
		const y = index * ROW + ROW / 2;
		const kind = isBrand ? "own" : "other";
		return markup`<text class="name ${kind}" x="${NAMES}" y="${y + 4}" text-anchor="end">${shortened(name)}</text>
      <line class="interval ${kind}" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/>
      <circle class="${kind}" cx="${x(value)}" cy="${y}" r="4.5"/>`;
	})]);
}
/** Bars to the right where competitors are ahead, to the left where the brand is. */
function gapChart(labels, rows) {
	const [width, height] = [520, rows.length * ROW];
	const low = Math.min(0, ...rows.map(({ gap }) => gap));
	const high = Math.max(1, ...rows.map(({ gap }) => gap));
	const x = (gap) => between(204, width - 34, (gap - low) / (high - low));
	return drawing(labels, width, height, [markup`<line class="grid" x1="${x(0)}" x2="${x(0)}" y1="0" y2="${height}"/>`, ...rows.map(({ name, gap, isOwn }, index) => {
		const y = index * ROW + ROW / 2;
		const [from, to] = gap < 0 ? [x(gap), x(0)] : [x(0), x(gap)];
		return markup`<text class="name ${isOwn ? "own" : "other"}" x="${NAMES}" y="${y + 4}" text-anchor="end">${shortened(name)}</text>
      <rect class="${gap < 0 ? "own" : "other"}" x="${from}" width="${to - from}" y="${y - 7}" height="14"/>
      <text x="${gap < 0 ? from - 5 : to + 5}" y="${y + 4}" text-anchor="${gap < 0 ? "end" : "start"}">${gap}</text>`;
	})]);
}
function drawing({ title, description }, width, height, parts) {
	return markup`<svg role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
    <title>${title}</title>
    <desc>${description}</desc>
    <g aria-hidden="true">${trusted(parts.map((part) => part?.text ?? "").join(""))}</g>
  </svg>`;
}
/** With two decimals: a tenth of what a screen can show. */
function between(from, to, share) {
	return Math.round((from + (to - from) * share) * 100) / 100;
}
const DAY_MS = 864e5;
function daysOf(date) {
	return Date.parse(date) / DAY_MS;
}
function dayInWords(date) {
	return new Date(date).toLocaleDateString("en-GB", {
		day: "numeric",
		month: "short",
		timeZone: "UTC"
	});
}
/** The table next to the chart has the whole name. */
function shortened(name) {
	const graphemes = Array.from(new Intl.Segmenter("en").segment(name), ({ segment }) => segment);
	return graphemes.length > 24 ? `${graphemes.slice(0, 23).join("")}…` : name;
}
// snapshots/pages/page.ts
/**
* A complete HTML page in one file, which runs no script and requests nothing.
* @param styleSource what its Content-Security-Policy allows as style, such as `'sha256-…'`
*/
function page(title, style, styleSource, body) {
	return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${`default-src 'none'; style-src ${styleSource}; base-uri 'none'; form-action 'none'`}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>${trusted(style)}</style>
      </head>
      <body>
        ${body}
      </body>
    </html>
`.text;
}
/** A table with a caption, in which names may be isolated, for screen readers. Wide tables scroll, also by keyboard. */
function table(caption, columns, rows, { printedRows = rows.length } = {}) {
	const isNumber = (index) => columns[index]?.isNumber === true;
	const decimals = columns.map((_, index) => Math.max(0, ...rows.map((row) => decimalsOf(row[index]))));
	const shown = (cell, index) => typeof cell === "number" && isNumber(index) ? cell.toFixed(decimals[index]) : cell;
	return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>${withNames(caption)}</caption>
      <thead>
        <tr>
          ${columns.map(({ name }, index) => markup`<th scope="col" ${isNumber(index) ? trusted(" class=\"number\"") : null}>${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row, number) => markup`<tr ${number < printedRows ? null : trusted("class=\"screen\"")}>
              ${row.map((cell, index) => cellOf$1(shown(cell, index), index === 0, isNumber(index)))}
            </tr> `)}
      </tbody>
    </table>
    ${rows.length > printedRows ? markup`<p class="soft paper">The first ${printedRows} of ${rows.length} rows; the page on screen has all.</p>` : null}
  </div>`;
}
function decimalsOf(cell) {
	return typeof cell === "number" ? String(cell).split(".")[1]?.length ?? 0 : 0;
}
function cellOf$1(cell, isHead, isNumber) {
	const shown = cell ?? "–";
	if (isHead) return markup`<th scope="row">${typeof shown === "string" ? nameOf(shown) : shown}</th>`;
	return isNumber ? markup`<td class="number">${shown}</td>` : markup`<td>${shown}</td>`;
}
/** A link to a page elsewhere; only its text if the address is not http or https. */
function link(url, text) {
	if (url === null || !/^https?:\/\//i.test(url)) return markup`${text}`;
	return markup`<a href="${url}" rel="noreferrer">${text}</a>`;
}
// snapshots/pages/sections/competitors.ts
/** The number of names that fit on a printed page next to the chart. */
const PRINTED_NAMES = 40;
/** A longer chart would not fit on a printed page. */
const DRAWN_NAMES = 25;
/** Share of voice with its 95 % intervals, and the numbers in a table. */
function competitorsSection(document) {
	const { brand, totalMentions, shareOfVoice, answers } = document;
	const standing = sentence(standingInWords(brand.name, document));
	if (totalMentions === 0 || shareOfVoice.length < 2) return markup`<h3>Share of voice</h3>
      <p>${withNames(standing)}</p>`;
	const leading = new Set(leadingRows(document));
	return markup`<h3>Share of voice</h3>
    <p>
      ${withNames(standing)} Of ${totalMentions} mentions in ${answers} answers in the last ${14} days. ${ruleOf(document)}
    </p>
    <figure>${shareChart(document)}</figure>
    ${table(`Share of voice of ${isolatedName(brand.name)} and its competitors`, [
		{ name: "Name" },
		{
			name: "Mentions",
			isNumber: true
		},
		{
			name: "Share, %",
			isNumber: true
		},
		{
			name: "95 % interval",
			isNumber: true
		},
		{
			name: "Answers naming, %",
			isNumber: true
		},
		{
			name: "Behind the first, points",
			isNumber: true
		},
		{ name: "Reading" }
	], shareOfVoice.map((row) => [
		row.isBrand ? markup`<strong>${nameOf(row.name)}</strong>` : row.name,
		row.mentions,
		row.sovPct,
		`${row.lowPct} to ${row.highPct}`,
		presenceText(row),
		gapText(row),
		leading.has(row) ? leading.size === 1 ? "leads" : "tied for the lead" : "behind"
	]), { printedRows: PRINTED_NAMES })}`;
}
/** Which verdict the reading follows. Shares within the noise floor may well differ prompt by prompt. */
function ruleOf({ leadersByPrompt, noiseFloorPp }) {
	return leadersByPrompt === null ? `Ties are judged by the intervals of the shares: too few prompts to compare prompt by prompt. Shares closer than ${noiseFloorPp} percentage points have no order.` : "Ties are judged prompt by prompt.";
}
function sentence(text) {
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
function presenceText({ presencePct, presenceLowPct, presenceHighPct }) {
	return `${presencePct} (${presenceLowPct} to ${presenceHighPct})`;
}
function gapText({ behindLeader: gap }) {
	return gap === null ? null : `${gap.gapPp} (${gap.lowPp} to ${gap.highPp})`;
}
function shareChart({ brand, shareOfVoice }) {
	const drawn = shareOfVoice.filter((row, index) => row.isBrand || index < DRAWN_NAMES);
	return intervalChart({
		title: `Share of voice of ${brand.name} and its competitors, with 95 % intervals`,
		description: drawn.map((row) => `${row.name} ${row.sovPct} %`).join(", ")
	}, drawn.map(({ name, lowPct, sovPct, highPct, isBrand }) => ({
		name,
		low: lowPct,
		value: sovPct,
		high: highPct,
		isBrand
	})));
}
// lib/methodology/results.ts
/** What happened to a prompt on an engine from one cycle to the next (methodology, Results). */
const resultChanges = [
	"new",
	"won",
	"lost",
	"kept",
	"absent"
];
// snapshots/pages/won-lost.ts
function answersOf({ evidence }) {
	return evidence.flatMap(({ url }) => url === null ? [] : [url]);
}
/**
* The prompts that a document lists as won or lost in its newest week. Without old changes of engines that no longer
* run.
*/
function wonAndLostThisWeek(results) {
	return wonFirst(resultsThisWeek(results).flatMap(({ promptId, promptText, engine }) => {
		const { slug, date, change, position, previousPosition } = engine;
		if (change !== "won" && change !== "lost") return [];
		return [{
			change,
			promptId,
			promptText,
			slug,
			date,
			position: position ?? previousPosition,
			answers: answersOf(engine)
		}];
	}));
}
const WEEK_MS = 6048e5;
/** The results of a document's newest week: an engine that did not answer a prompt in it keeps an older one. */
function resultsThisWeek(results) {
	const newest = newestCycle(results);
	if (newest === null) return [];
	return entriesOf(results).filter(({ engine }) => Date.parse(engine.date) > Date.parse(newest) - WEEK_MS);
}
/** The date that names the week of {@link resultsThisWeek}; null if nothing has run. */
function newestCycle(results) {
	return entriesOf(results).map(({ engine }) => engine.date).toSorted().at(-1) ?? null;
}
function entriesOf({ prompts }) {
	return prompts.flatMap(({ promptId, promptText, engines }) => engines.map((engine) => ({
		promptId,
		promptText,
		engine
	})));
}
function wonFirst(all) {
	return [...all.filter(({ change }) => change === "won"), ...all.filter(({ change }) => change === "lost")];
}
// snapshots/pages/sections/results.ts
/** The number of rows that fit on a printed page. */
const PRINTED_RESULTS = 40;
const words = {
	new: "asked for the first time",
	won: "won",
	lost: "lost",
	kept: "kept",
	absent: "absent"
};
/**
* The newest week's results by change, and a table of those won and lost.
*/
function resultsSection(results) {
	const all = results.prompts.flatMap((prompt) => prompt.engines);
	if (all.length === 0) return markup`<h3>Won and lost</h3>
      <p>No active prompt has an answer yet.</p>`;
	const engines = resultsThisWeek(results).map(({ engine }) => engine);
	const counts = resultChanges.map((change) => ({
		change,
		count: engines.filter((engine) => engine.change === change).length
	})).filter(({ count }) => count > 0).map(({ change, count }) => `${count} ${words[change]}`);
	const named = engines.filter((engine) => engine.isNamed).length;
	const older = all.length - engines.length;
	return markup`<h3>Won and lost</h3>
    <p>
      In the week of ${newestCycle(results)} the brand is named in ${named} of ${engines.length} results, one for each prompt and engine:
      ${counts.join(", ")}. ${older === 0 ? null : `Not counted: ${older} older, where an engine has not answered a prompt in that week.`}
      One prompt on one engine is one draw: a single result says nothing about significance.
    </p>
    ${wonAndLostTable(results.brand.name, wonAndLostThisWeek(results), PRINTED_RESULTS) ?? markup`<p>Nothing was won or lost in that week.</p>`}`;
}
/** The prompts that were won or lost; null if there are none. */
function wonAndLostTable(name, wonAndLost, printedRows = wonAndLost.length) {
	if (wonAndLost.length === 0) return null;
	return table(`Prompts that ${isolatedName(name)} won or lost`, [
		{ name: "Prompt" },
		{ name: "Engine" },
		{ name: "Result" },
		{ name: "Cycle" },
		{
			name: "Position",
			isNumber: true
		},
		{ name: "Answers" }
	], wonAndLost.map(({ promptText, slug, change, date, position, answers }) => [
		promptText,
		engineName(slug),
		change,
		date,
		change === "won" ? position : `was ${position}`,
		answers.length === 0 ? null : markup`${answers.map((url, index) => markup`${link(url, `answer ${index + 1}`)} `)}`
	]), { printedRows });
}
// snapshots/pages/sections/sources.ts
/** The domains that engines cite, those where competitors are furthest ahead first. */
function sourcesSection({ brand, sources }) {
	if (sources.length === 0) return markup`<h3>Sources</h3>
      <p>No engine cited a source in the last ${14} days.</p>`;
	return markup`<h3>Sources</h3>
    <p>
      In answers that cite a domain: mentions of competitors less those of the brand. These counts have no interval; small
      gaps mean nothing.
    </p>
    <figure>
      ${gapChart({
		title: `Gap of ${brand.name} to its competitors by cited domain`,
		description: sources.map(({ domain, gap }) => `${domain} ${gap}`).join(", ")
	}, sources.map(({ domain, gap, isOwnDomain }) => ({
		name: domain,
		gap,
		isOwn: isOwnDomain
	})))}
    </figure>
    <details class="screen">
      <summary>The counts of each domain</summary>
      ${table(`Domains cited in answers about ${isolatedName(brand.name)} and its competitors, biggest gap first`, [
		{ name: "Domain" },
		{ name: "Kind" },
		{
			name: "Citations",
			isNumber: true
		},
		{
			name: "Answers",
			isNumber: true
		},
		{
			name: "Competitors",
			isNumber: true
		},
		{
			name: "Brand",
			isNumber: true
		},
		{
			name: "Gap",
			isNumber: true
		}
	], sources.map((row) => [
		row.isOwnDomain ? markup`<strong>${row.domain}</strong> (own)` : row.domain,
		row.sourceType,
		row.count,
		row.answers,
		row.competitorMentions,
		row.brandMentions,
		row.gap
	]))}
    </details>`;
}
// lib/methodology/exact.ts
/**
* Rounds a double to `decimals` decimals, half away from zero, on its exact binary value; never −0. For irrational
* values only (Wilson bounds, band edges); use {@link roundRatio} for a ratio of counts.
* @throws RangeError if the value is not finite.
*/
function roundDouble(value, decimals) {
	if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be rounded`);
	return Number(value.toFixed(decimals)) + 0;
}
// snapshots/pages/sections/stability.ts
/** The number of prompts that fit on about three printed pages. */
const PRINTED_PROMPTS = 50;
/**
* A heat map of the brand's placement, prompt by engine, with what was won and lost in the newest week; on screen also the other names.
*/
function stabilitySection({ brand, prompts, minCycles }, results) {
	if (prompts.length === 0) return markup`<h3>Core and carousel</h3>
      <p>No active prompt has an answer yet.</p>`;
	return markup`<h3>Core and carousel</h3>
    <p>
      How steadily the answers name the brand: the percentage of the weekly cycles in which they do. In brackets: fewer
      than ${minCycles} cycles, so provisional.
    </p>
    ${placements} ${signsText(results)}
    <div class="matrix">${heatMap(brand.name, prompts, results)}</div>
    <details class="screen">
      <summary>The other names, prompt by prompt</summary>
      ${prompts.map((prompt) => promptDetails(brand.name, prompt))}
    </details>
    <p class="soft paper">The page on screen also has the other names of each prompt.</p>`;
}
/** What the placements mean, in their colours. */
const placements = markup`<p class="legend">
  <span class="heat core">core</span> named in at least ${70} % of the cycles.
  <span class="heat emerging">emerging</span> ${40} % to under ${70} %.
  <span class="heat carousel">carousel</span> less: the name comes and goes. <span class="heat absent">absent</span>
  never named.
</p>`;
function signsText(results) {
	const newest = results === null ? null : newestCycle(results);
	if (newest === null) return null;
	return markup`<p>▲ won in the week of ${newest}: named then, but not in the cycle before. ▼ lost: the other way round.</p>`;
}
function heatMap(brand, prompts, results) {
	const slugs = [...new Set(prompts.flatMap(({ engines }) => engines.map(({ slug }) => slug)))].toSorted();
	const changes = new Map((results === null ? [] : wonAndLostThisWeek(results)).map(({ promptId, slug, change }) => [`${promptId} ${slug}`, change]));
	return table(`Where answers name ${isolatedName(brand)}: percent of the weekly cycles`, [{ name: "Prompt" }, ...slugs.map((slug) => ({ name: engineName(slug) }))], prompts.map(({ promptId, promptText, engines }) => [promptText, ...slugs.map((slug) => {
		const engine = engines.find((each) => each.slug === slug);
		return engine === void 0 ? null : cellOf(engine, changes.get(`${promptId} ${slug}`));
	})]), { printedRows: PRINTED_PROMPTS });
}
function cellOf(engine, change) {
	const { brandPlacement, brandStability, isWarmingUp } = engine;
	const number = brandPlacement === "absent" ? "absent" : String(roundDouble(brandStability * 100, 1));
	const sign = change === void 0 ? "" : change === "won" ? " ▲" : " ▼";
	return markup`<span class="heat ${trusted(brandPlacement)}" title="${brandPlacement}${change === void 0 ? "" : `, ${change}`}">${isWarmingUp ? `(${number})` : number}${sign}</span>`;
}
function promptDetails(brand, { promptText, engines }) {
	return markup`<details>
    <summary>${nameOf(promptText)}</summary>
    ${table(`Who is named for “${isolatedName(promptText)}”`, [
		{ name: "Engine" },
		{
			name: "Cycles",
			isNumber: true
		},
		{ name: brand },
		{ name: "Core" },
		{ name: "All other names (carousel)" }
	], engines.map((engine) => [
		engineName(engine.slug),
		engine.cyclesObserved,
		placementText(engine),
		names(engine.core),
		names(engine.carousel)
	]))}
  </details> `;
}
function placementText({ brandPlacement, brandStability, isWarmingUp }) {
	const text = brandPlacement === "absent" ? "absent" : `${brandPlacement} ${share(brandStability)}`;
	return isWarmingUp ? `(${text})` : text;
}
function names(list) {
	if (list.length === 0) return markup`–`;
	return markup`<div class="names">${list.map(({ entity, stability }, index) => {
		return markup`<span>${nameOf(entity)} ${share(stability)}${index < list.length - 1 ? "," : ""}</span> `;
	})}</div>`;
}
/** With one decimal: 0.6957 is not core, and must not be shown as 70 %. */
function share(stability) {
	return `${roundDouble(stability * 100, 1)}\u00a0%`;
}
// snapshots/pages/week.ts
/**
* Each engine's scores over time: the newest trend, with the bands of the weeks in which each score was the latest.
* @param visibilities newest first
*/
function engineHistories(visibilities) {
	const [newest] = visibilities;
	if (newest === void 0) return [];
	return newest.perEngine.map(({ slug, date, score }) => ({
		slug,
		points: (newest.trend[slug] ?? [{
			date,
			score
		}]).map((point) => withBand(point, slug, visibilities))
	}));
}
function withBand({ date, score }, slug, visibilities) {
	const found = visibilities.flatMap(({ perEngine }) => perEngine).find((engine) => engine.slug === slug && engine.date === date);
	return {
		date,
		score,
		bandLow: found?.bandLow ?? null,
		bandHigh: found?.bandHigh ?? null,
		isSignificant: found?.isSignificant ?? false,
		modelsChanged: found?.modelsChanged ?? false
	};
}
/** The mean score of the engines in each cycle of the trend, oldest first. */
function overallTrend({ trend }) {
	const byDate = /* @__PURE__ */ new Map();
	for (const { date, score } of Object.values(trend).flat()) byDate.set(date, [...byDate.get(date) ?? [], score]);
	return [...byDate.keys()].toSorted().map((date) => mean(byDate.get(date)));
}
function mean(values) {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}
/** What happened outside that concerns an engine: its own events, and those of all engines. */
function marksFor(slug, { events }) {
	return events.filter((event) => event.slug === null || event.slug === slug);
}
// snapshots/pages/sections/glance.ts
/** The number of brands that fit on two printed pages. */
const PRINTED_BRANDS = 60;
/** Brands with engines that moved first, otherwise in the given order. */
function movedFirst(weeks) {
	return weeks.toSorted((a, b) => movedCount(b) - movedCount(a));
}
function movedCount({ visibility }) {
	return visibility.perEngine.filter(hasMoved).length;
}
/** The week at a glance: a row for each brand, those with engines that moved first. Names link to `#brand-ID`. */
function glance(weeks) {
	const isCalm = weeks.every((week) => movedCount(week) === 0);
	const isJudged = weeks.some(({ visibility }) => visibility.perEngine.some(({ isWarmingUp }) => !isWarmingUp));
	return markup`${isCalm && isJudged ? markup`<p>No brand moved beyond its usual range.</p>` : null}
  ${table(`The week at a glance${isCalm ? "" : ", brands with a change on top"}`, [
		{ name: "Brand" },
		{ name: "Engines that moved" },
		{
			name: "Visibility, %",
			isNumber: true
		},
		{ name: "Week by week" },
		{ name: "Share of voice" },
		{
			name: "Prompts won",
			isNumber: true
		},
		{
			name: "Prompts lost",
			isNumber: true
		}
	], movedFirst(weeks).map((week) => [
		markup`<a href="#brand-${week.brand.id}">${nameOf(week.brand.name)}</a>`,
		movedCell(week),
		week.visibility.perEngine.length === 0 ? null : week.visibility.overallVisibility,
		trendCell(week),
		leadersCell(week),
		changesCell(week, "won"),
		changesCell(week, "lost")
	]), { printedRows: PRINTED_BRANDS })}
  <p class="soft">${falseAlarms}</p>`;
}
/** How often chance alone is reported as a movement (docs/methodology.md). */
const falseAlarms = "Chance rarely moves one engine this far. Over a brand’s 8 engines, up to 3 of 10 weeks still have at least one false alarm: the farther a number is from what was expected, the less likely it is one.";
function trendCell({ brand, visibility }) {
	const values = overallTrend(visibility);
	if (values.length === 0) return null;
	const description = `${values.length} weeks, from ${values[0].toFixed(1)} to ${values.at(-1).toFixed(1)} %.`;
	return sparkline({
		title: `Visibility of ${brand.name}, mean of the engines`,
		description
	}, values);
}
function movedCell({ visibility: { perEngine, trend } }) {
	if (perEngine.length === 0) return "no answers yet";
	const moved = perEngine.filter(hasMoved);
	if (moved.length > 0) return markup`${moved.map((engine) => {
		const scores = markup`${engineName(engine.slug)} ${scoreBefore(engine, trend)}${engine.score}\u00a0%`;
		return mayBeChance(engine) ? markup`<span class="label">${scores}, may be chance</span> ` : markup`<span class="label moved">${scores}</span> `;
	})}`;
	return perEngine.every(({ isWarmingUp }) => isWarmingUp) ? "warming up" : "none";
}
/** `71 → `; nothing if there is no earlier score, or the same one: then the prompts moved. */
function scoreBefore({ slug, date, score }, trend) {
	const before = trend[slug]?.findLast((point) => point.date < date);
	return before === void 0 || before.score === score ? null : `${before.score} → `;
}
/** More names than this are counted, not listed. */
const LISTED_LEADERS = 3;
function leadersCell({ competitors }) {
	if (competitors === null) return null;
	if (competitors.shareOfVoice.length < 2) return "no competitors are tracked";
	if (competitors.totalMentions === 0) return "no mentions";
	const leading = leadingRows(competitors);
	const names = leading.slice(0, LISTED_LEADERS).map(({ name }, index) => markup`${index === 0 ? "" : ", "}${nameOf(name)}`);
	if (leading.length === 1) return markup`${names} leads`;
	const others = leading.length - names.length;
	return markup`tied: ${names}${others === 0 ? null : ` and ${others} ${others === 1 ? "other" : "others"}`}`;
}
function changesCell({ results }, wanted) {
	if (results === null) return null;
	return wonAndLostThisWeek(results).filter(({ change }) => change === wanted).length;
}
// snapshots/pages/sections/visibility.ts
/** A chart of the scores of each engine over time with its drift band, and the numbers in tables. */
function visibilitySection(visibility, histories) {
	const { brand, overallVisibility, perEngine } = visibility;
	if (perEngine.length === 0) return markup`<h3>Visibility</h3>
      <p>No answers yet.</p>`;
	return markup`<h3>Visibility</h3>
    <p>
      The engines named the brand in ${overallVisibility} % of the tracked prompts: the mean of their latest scores.
    </p>
    <div class="charts">
      ${histories.map((history) => markup`<figure>
          <figcaption>${engineName(history.slug)}</figcaption>
          ${engineChart(brand.name, history, visibility)}
        </figure>`)}
    </div>
    ${legend} ${columnWords} ${latestTable(visibility)} ${modelsText$1(visibility)} ${unbrandedText(visibility)} ${eventsList(visibility)} ${scoresTable(brand.name, histories)}
    ${signals(visibility)}`;
}
const legend = markup`<p class="soft legend">
  Shaded: the drift band, where 95 % of weeks would fall if nothing had changed. <span class="moved-sign">◆</span> A
  score outside of it. <span class="model-sign">▼</span> The model behind the engine changed. Dashed line: an event.
  ${falseAlarms}
</p>`;
const columnWords = markup`<p class="soft legend">
  Cycle: the weekly round in which the prompts are asked, by its date. Same prompts: of the prompts that also ran in
  earlier cycles, how many named the brand, and how many would if nothing had changed.
</p>`;
function engineChart(brand, { slug, points }, visibility) {
	const latest = points.at(-1);
	return lineChart({
		title: `Visibility of ${brand} on ${engineName(slug)}, in percent`,
		description: `${points.length} weekly scores from ${points[0].date} to ${latest.date}; the latest is ${latest.score} %${bandText(latest)}.`
	}, points, marksFor(slug, visibility));
}
function bandText({ bandLow, bandHigh, isSignificant }) {
	if (bandLow === null) return ", still warming up";
	return `, ${isSignificant ? "outside" : "inside"} of its drift band of ${bandLow} to ${bandHigh} %`;
}
function latestTable({ brand, perEngine }) {
	return table(`Latest scores of ${isolatedName(brand.name)}`, [
		{ name: "Engine" },
		{ name: "Cycle" },
		{
			name: "Score, %",
			isNumber: true
		},
		{
			name: "Named in",
			isNumber: true
		},
		{
			name: "Drift band, %",
			isNumber: true
		},
		{
			name: "Same prompts",
			isNumber: true
		},
		{ name: "Reading" },
		{
			name: `No answer in 14 days, %`,
			isNumber: true
		}
	], perEngine.map((engine) => [
		engineName(engine.slug),
		engine.date,
		engine.score,
		namedIn(engine),
		engine.bandLow === null ? null : `${engine.bandLow} to ${engine.bandHigh}`,
		samePromptsText(engine),
		readingOf(engine),
		engine.noAnswerRate
	]));
}
/** With the answers where a prompt was asked more than once: a score rises with them. */
function namedIn({ promptsNamed, promptsAnswered, answers }) {
	const counts = `${promptsNamed} of ${promptsAnswered} prompts`;
	return answers > promptsAnswered ? `${counts}, ${answers} answers` : counts;
}
/** The models behind the latest scores; null if none is known. */
function modelsText$1({ perEngine }) {
	const known = perEngine.flatMap(({ slug, models }) => models.length === 0 ? [] : [`${engineName(slug)} ${models.join(", ")}`]);
	return known.length === 0 ? null : markup`<p class="soft">Models: ${known.join("; ")}.</p>`;
}
/** The counts without prompts that contain the brand's name; null if no such prompt was answered. */
function unbrandedText({ brand, perEngine }) {
	const counts = perEngine.flatMap(({ slug, promptsAnswered, unbranded }) => unbranded.promptsAnswered === promptsAnswered ? [] : [`${engineName(slug)} ${unbranded.promptsNamed} of ${unbranded.promptsAnswered}`]);
	if (counts.length === 0) return null;
	return markup`<p class="soft">Named in prompts that do not contain “${nameOf(brand.name)}”: ${counts.join("; ")}.</p>`;
}
/** `2 of 7, 4.1 expected`; null without a comparison. */
function samePromptsText({ samePrompts }) {
	if (samePrompts === null || samePrompts.prompts === 0) return null;
	return `${samePrompts.named} of ${samePrompts.prompts}, ${samePrompts.expected} expected`;
}
function readingOf(engine) {
	const model = engine.modelsChanged === true ? ", new model" : "";
	if (engine.isWarmingUp) return `warming up${model}`;
	if (!hasMoved(engine)) return `as usual${model}`;
	return mayBeChance(engine) ? `outside the band, may be chance${model}` : markup`<span class="label moved">moved</span>${model}`;
}
function eventsList({ events }) {
	if (events.length === 0) return null;
	return markup`<ul class="events">
    ${events.map(({ date, slug, text, url }) => markup`<li>
        ${date}${slug === null ? null : ` · ${engineName(slug)}`}:
        ${link(url, text)}
      </li> `)}
  </ul>`;
}
function scoresTable(brand, histories) {
	const rows = [...new Set(histories.flatMap(({ points }) => points.map(({ date }) => date)))].toSorted((a, b) => a < b ? 1 : -1).map((date) => [date, ...histories.map(({ points }) => points.find((point) => point.date === date)?.score ?? null)]);
	const columns = histories.map(({ slug }) => ({
		name: engineName(slug),
		isNumber: true
	}));
	return markup`<details class="screen">
    <summary>All scores as numbers</summary>
    ${table(`Weekly scores of ${isolatedName(brand)}, in percent, newest first`, [{ name: "Cycle" }, ...columns], rows)}
  </details>`;
}
function signals({ signals: counted }) {
	const { mentions, positive, neutral, negative, netSentiment, avgPosition } = counted;
	if (mentions === 0) return markup`<p>The brand was not mentioned in the last ${14} days.</p>`;
	const classified = positive + neutral + negative;
	const more = classified < mentions ? `, ${mentions - classified} not classified` : "";
	const sentiment = classified === 0 ? "sentiment not classified" : `${positive} positive, ${neutral} neutral, ${negative} negative${more}; net sentiment ${netSentiment}`;
	return markup`<p>
    Mentioned ${mentions} times in the last ${14} days, in ${counted.answersNaming} of ${counted.answers} answers: ${sentiment}, mean position ${avgPosition}.
  </p>`;
}
// snapshots/pages/sections/brand.ts
/**
* Everything about a brand in one week: the week in words, charts, tables. Documents that are not loaded are left out.
* @param changes what changed since the week before
* @param tag if given, the stability and the results have only the prompts with this tag
*/
function brandSection(week, histories, changes, tag = null) {
	const { brand, visibility, competitors, results, stability, sources } = week;
	return markup`<section aria-labelledby="brand-${brand.id}">
    <h2 id="brand-${brand.id}">${nameOf(brand.name)}</h2>
    <p class="soft">${brand.domain}</p>
    ${tag === null ? null : tagNote(tag, week)}
    <p class="words">${withNames(weekInWords(brand.name, visibility, competitors).join(" "))}</p>
    ${changes} ${visibilitySection(visibility, histories)}
    ${competitors === null ? null : competitorsSection(competitors)}
    ${stability === null ? null : stabilitySection(stability, results)}
    ${results === null ? null : resultsSection(results)} ${sources === null ? null : sourcesSection(sources)}
  </section>`;
}
function tagNote(tag, { visibility, results }) {
	const newest = visibility.perEngine.map(({ date }) => date).toSorted().at(-1);
	const ofTag = results === null ? null : newestCycle(results);
	return markup`${ofTag !== null && newest !== void 0 && ofTag < newest ? markup`<p>These prompts last ran in the week of ${ofTag}, not in the newest week, ${newest}.</p>` : null}<p class="soft">
    Only prompts with the tag “${nameOf(tag)}”. “Core and carousel” and “Won and lost” follow the tag; all other parts count every
    prompt.
  </p>`;
}
// clients/typescript/src/causes.ts
/** The causes that affect all engines, in words. */
const causeWords = {
	"methodology changed": "the methodology changed",
	"prompts changed": "the tracked prompts changed",
	"competitors changed": "the tracked competitors changed: this concerns the share of voice"
};
/** Changes of runs per prompt, and of the answered prompts, are reported beyond a fifth. */
const FRACTION = 5;
/** The causes on each engine that has a new cycle, by engine. */
function causesOnEngines(before, after) {
	return after.visibility.perEngine.flatMap((now) => {
		const old = before.visibility.perEngine.find(({ slug }) => slug === now.slug);
		if (old === void 0 || old.date === now.date) return [];
		const texts = {
			"models changed": modelsText(old, now),
			"runs per prompt changed": runsText(old, now),
			"answered prompts changed": promptsText([before, old], [after, now])
		};
		return Object.keys(texts).flatMap((cause) => {
			const text = texts[cause];
			return text === null ? [] : [{
				cause,
				slug: now.slug,
				text
			}];
		});
	});
}
function modelsText({ models: before }, { models: after }) {
	const isSame = before.length === after.length && before.every((model) => after.includes(model));
	if (before.length === 0 || after.length === 0 || isSame) return null;
	return `the model changed from ${before.join(", ")} to ${after.join(", ")}`;
}
function runsText(before, after) {
	if (!haveRunsChanged(before, after)) return null;
	const runs = ({ answers, promptsAnswered }) => (answers / promptsAnswered).toFixed(1);
	return `the runs per prompt changed from ${runs(before)} to ${runs(after)}`;
}
/** True if the answers per answered prompt differ by more than a fifth. */
function haveRunsChanged(before, after) {
	const was = before.answers * after.promptsAnswered;
	const is = after.answers * before.promptsAnswered;
	return FRACTION * Math.abs(is - was) > was;
}
/**
* The prompts that the engine answered in its latest cycle; null if the results do not list them all, because the engine
* also answered prompts that are paused or no longer tracked.
*/
function answeredIn({ results }, { slug, date, promptsAnswered }) {
	const answered = results.prompts.filter(({ engines }) => engines.some((engine) => engine.slug === slug && engine.date === date));
	return answered.length === promptsAnswered ? new Set(answered.map(({ promptId }) => promptId)) : null;
}
/** By the prompts where both weeks list them, otherwise by their number. */
function promptsText(before, after) {
	const [was, is] = [before[1].promptsAnswered, after[1].promptsAnswered];
	const [old, now] = [answeredIn(...before), answeredIn(...after)];
	const isListed = old !== null && now !== null;
	const both = isListed ? [...old].filter((prompt) => now.has(prompt)).length : Math.min(was, is);
	const all = was + is - both;
	if (FRACTION * (all - both) <= all) return null;
	const text = `it answered ${was} prompts in the older week and ${is} in the newer`;
	return isListed ? `${text}, ${both} of them in both` : text;
}
// clients/typescript/src/judge.ts
/**
* A newer score has moved if its prompts were named further from expected than chance explains; without such a
* comparison, if it is outside its drift band. It has moved too if the newer band does not contain the older score.
*/
function judgeScore(before, after) {
	const { bandLow, bandHigh, samePrompts } = after;
	if (after.isWarmingUp || bandLow === null || bandHigh === null) return {
		verdict: "insufficient data",
		rule: null,
		because: "warming up: there is no band yet"
	};
	const isCompared = samePrompts !== null && samePrompts.prompts > 0;
	const because = isCompared ? `${samePrompts.named} of the same ${samePrompts.prompts} prompts name the brand, ${samePrompts.expected} expected` : `the newer score is ${after.isSignificant ? "outside" : "inside"} of its drift band`;
	const rule = isCompared ? "same prompts" : "drift band";
	if (isCompared ? samePrompts.isSignificant : after.isSignificant) return {
		verdict: "moved",
		rule,
		because
	};
	if (before.score >= bandLow && before.score <= bandHigh) return {
		verdict: "within noise",
		rule,
		because
	};
	return {
		verdict: "moved",
		rule: "drift band",
		because: "the older score is outside of the drift band of the newer one"
	};
}
/**
* A share has moved if its distances to the first row do not touch, where the same name is first in both weeks; otherwise
* if its own intervals do not touch.
*/
function judgeShare(before, after, isSameFirst) {
	const [was, is] = [before.behindLeader, after.behindLeader];
	const isByPrompt = isSameFirst && was !== null && is !== null;
	const isApart = isByPrompt ? was.highPp < is.lowPp || is.highPp < was.lowPp : before.highPct < after.lowPct || after.highPct < before.lowPct;
	return {
		verdict: isApart ? "moved" : "within noise",
		rule: isByPrompt ? "gap by prompt" : "interval",
		because: `the ${isByPrompt ? "distances to the first row, by prompt," : "intervals of the shares"} ${isApart ? "do not touch" : "overlap"}`
	};
}
// clients/typescript/src/compare.ts
/** Compares two weeks by their published verdicts, bands and intervals only. */
function comparisonOf(before, after) {
	const originOf = ({ snapshot: { id, asOf } }) => ({
		snapshotId: id,
		asOf
	});
	return {
		brand: after.visibility.brand,
		before: originOf(before),
		after: originOf(after),
		notComparable: reasonsAgainst(before, after),
		visibility: compareScores(before.visibility.perEngine, after.visibility.perEngine),
		shareOfVoice: compareShares(before.competitors, after.competitors)
	};
}
function reasonsAgainst(before, after) {
	const differs = (read) => JSON.stringify(read(before)) !== JSON.stringify(read(after));
	const asked = ({ prompts }) => prompts.prompts.filter(({ isActive }) => isActive).map(({ id, text }) => `${id} ${text}`).toSorted();
	const competitors = ({ competitors: { shareOfVoice } }) => shareOfVoice.filter(({ isBrand }) => !isBrand).map(({ name }) => name).toSorted();
	return [
		...differs(({ snapshot }) => snapshot.methodologyVersion) ? [causeWords["methodology changed"]] : [],
		...differs(asked) ? [causeWords["prompts changed"]] : [],
		...differs(competitors) ? [causeWords["competitors changed"]] : [],
		...causesOnEngines(before, after).map(({ slug, text }) => `${engineName(slug)}: ${text}`)
	];
}
function compareScores(before, after) {
	const rules = {
		samePrompts: [],
		driftBand: []
	};
	const changes = {
		moved: [],
		notMoved: [],
		notJudged: [],
		rules
	};
	for (const engine of new Set([...before, ...after].map(({ slug }) => slug))) {
		const old = before.find(({ slug }) => slug === engine);
		const now = after.find(({ slug }) => slug === engine);
		if (old === void 0 || now === void 0 || old.date === now.date) {
			const reason = old === void 0 || now === void 0 ? "it has a score in one of the weeks only" : "it has no new cycle";
			changes.notJudged.push({
				engine,
				reason
			});
			continue;
		}
		const { verdict, rule, because } = judgeScore(old, now);
		if (rule === null) {
			changes.notJudged.push({
				engine,
				reason: because
			});
			continue;
		}
		rules[rule === "same prompts" ? "samePrompts" : "driftBand"].push(engine);
		if (verdict === "moved" && old.score !== now.score) changes.moved.push({
			engine,
			rule,
			because,
			before: scoreOf(old),
			after: scoreOf(now)
		});
		else changes.notMoved.push(engine);
	}
	return changes;
}
function scoreOf({ date, score, bandLow, bandHigh, samePrompts }) {
	return {
		date,
		score,
		bandLow,
		bandHigh,
		samePrompts
	};
}
function compareShares(before, after) {
	const rules = {
		gapByPrompt: [],
		interval: []
	};
	const changes = {
		moved: [],
		notMoved: [],
		notJudged: [],
		rules,
		leaders: null
	};
	const [was, is] = [byName(before), byName(after)];
	const isEmpty = before.totalMentions === 0 || after.totalMentions === 0;
	const isSameFirst = [...was.keys()][0] === [...is.keys()][0];
	for (const key of /* @__PURE__ */ new Set([...was.keys(), ...is.keys()])) {
		const [old, now] = [was.get(key), is.get(key)];
		const { name, isBrand } = now ?? old;
		if (old === void 0 || now === void 0 || isEmpty) {
			const reason = old === void 0 || now === void 0 ? "it is in one of the weeks only" : "no mentions were counted in one of the weeks";
			changes.notJudged.push({
				name,
				reason
			});
			continue;
		}
		const { verdict, rule, because } = judgeShare(old, now, isSameFirst);
		rules[rule === "gap by prompt" ? "gapByPrompt" : "interval"].push(name);
		const shares = {
			before: intervalOf(old),
			after: intervalOf(now)
		};
		if (verdict === "moved") changes.moved.push({
			name,
			isBrand,
			rule,
			because,
			...shares
		});
		else changes.notMoved.push(name);
	}
	if (changes.moved.length > 0) changes.leaders = changedLeaders(before, after);
	return changes;
}
/** Null if the leaders are the same. */
function changedLeaders(before, after) {
	const [was, is] = [before.leadersByPrompt, after.leadersByPrompt];
	const areByPrompt = was !== null && is !== null;
	const leaders = areByPrompt ? {
		before: was,
		after: is
	} : {
		before: before.leaders,
		after: after.leaders
	};
	return JSON.stringify(leaders.before) === JSON.stringify(leaders.after) ? null : {
		...leaders,
		areByPrompt
	};
}
function intervalOf({ sovPct, lowPct, highPct, behindLeader }) {
	return {
		sovPct,
		lowPct,
		highPct,
		behindLeader
	};
}
/** Rows by name. The brand's own row has a separate key, even if a competitor has its name or it was renamed. */
function byName({ shareOfVoice }) {
	const rows = /* @__PURE__ */ new Map();
	for (const row of shareOfVoice) {
		const name = row.isBrand ? "brand" : `competitor ${row.name}`;
		let key = name;
		for (let copy = 2; rows.has(key); copy++) key = `${name} (${copy})`;
		rows.set(key, row);
	}
	return rows;
}
// snapshots/pages/sections/changes.ts
/** Why the numbers of two weeks may measure different things; null if no reason is known. */
function careText(reasons) {
	if (reasons.length === 0) return null;
	if (reasons.length === 1) return markup`<p>Compare with care: ${reasons[0]}.</p>`;
	return markup`<p>Compare with care:</p>
    <ul>
      ${reasons.map((reason) => markup`<li>${reason}.</li>`)}
    </ul>`;
}
const nothingMoved = markup`<p>Nothing moved more than chance usually causes.</p>`;
const ruleWords = {
	"same prompts": "each prompt is compared with its own earlier weeks",
	"drift band": "where 95 % of the weekly scores of an engine would fall if nothing had changed",
	"gap by prompt": "how far a share is behind the first name, compared prompt by prompt, with its 95 % interval",
	interval: "the 95 % interval of a share"
};
/** Explains the rules that are used; null if there are none. */
function rulesText(used) {
	const rules = Object.keys(ruleWords).filter((rule) => used.includes(rule));
	if (rules.length === 0) return null;
	return markup`<p class="soft">Judged by: ${rules.map((rule) => `${rule} (${ruleWords[rule]})`).join(", ")}.</p>`;
}
// gateway/explore/browser/requests.ts
/** An error that the page shows; its message is a sentence. */
var ApiError = class extends Error {
	status;
	constructor(status, message) {
		super(message);
		this.name = "ApiError";
		this.status = status;
	}
};
/** The part of the allowance that is left to others: scripts with the same workspace's keys. */
const RESERVED = .1;
const ATTEMPTS = 4;
const sentences = {
	401: "The key is not valid: check that it was copied whole, or ask for a new one if it was revoked.",
	402: "The plan of this workspace does not include the API. After an upgrade the same key works again.",
	404: "This week is not there any more: its documents were removed, or the brand was not tracked then.",
	500: "The service could not respond. Try again in a minute."
};
/**
* Sends requests with one key, and leaves the last tenth of each minute's allowance to others. It waits for the next
* minute instead, and reports each wait.
*/
var Requests = class {
	#key;
	#reportWait;
	/** Responses that never change, by path. */
	#kept = /* @__PURE__ */ new Map();
	#allowance = null;
	/** The time of the newest response by the service's clock: older ones are from the browser's cache. */
	#newest = 0;
	#underWay = 0;
	/** @param reportWait called with the seconds left, each second, and with null when a wait is over */
	constructor(key, reportWait) {
		this.#key = key;
		this.#reportWait = reportWait;
	}
	/** @throws ApiError; the reason of the signal if that is aborted. */
	async get(path, signal) {
		const known = this.#kept.get(path);
		if (known !== void 0) {
			const found = await known.catch(() => null);
			if (found !== null) return found;
			signal.throwIfAborted();
		}
		const answer = this.#request(path, signal);
		if (path.startsWith("/api/v1/snapshots/")) {
			this.#kept.set(path, answer);
			answer.catch(() => this.#kept.delete(path));
		}
		return await answer;
	}
	async #request(path, signal) {
		for (let attempt = 1;; attempt += 1) {
			await this.#takePlace(signal);
			const response = await this.#fetch(path, signal).finally(() => this.#underWay -= 1);
			if (response === null || response.status >= 500) {
				if (attempt === ATTEMPTS) throw new ApiError(500, sentences[500]);
				await this.#wait(2 ** attempt, signal);
			} else if (response.status === 429) await this.#wait(Number(response.headers.get("Retry-After") ?? 60), signal);
			else return await answerOf(response);
		}
	}
	/** Null if there was no response. */
	async #fetch(path, signal) {
		try {
			const response = await fetch(path, {
				headers: { Authorization: `Bearer ${this.#key}` },
				signal
			});
			this.#note(response.headers);
			return response;
		} catch (error) {
			signal.throwIfAborted();
			if (error instanceof TypeError) return null;
			throw error;
		}
	}
	#note(headers) {
		const [limit, remaining, reset] = [
			"Limit",
			"Remaining",
			"Reset"
		].map((name) => Number(headers.get(`X-RateLimit-${name}`) ?? NaN));
		const at = Date.parse(headers.get("Date") ?? "");
		if (Number.isNaN(limit) || !(at >= this.#newest)) return;
		this.#newest = at;
		const known = this.#allowance;
		const left = known?.reset === reset ? Math.min(known.remaining, remaining) : remaining;
		const resetsAt = Date.now() + Math.min(6e4, reset * 1e3 - at);
		this.#allowance = {
			limit,
			remaining: left,
			reset,
			resetsAt
		};
	}
	/** Waits until one more request may be sent, and counts it as under way. */
	async #takePlace(signal) {
		for (;;) {
			const known = this.#allowance;
			if (known === null || Date.now() >= known.resetsAt) break;
			if (known.remaining - this.#underWay > known.limit * RESERVED) break;
			await this.#wait(Math.ceil((known.resetsAt - Date.now()) / 1e3) + 1, signal);
		}
		this.#underWay += 1;
	}
	async #wait(seconds, signal) {
		for (let left = Math.min(seconds, 120); left > 0; left -= 1) {
			signal.throwIfAborted();
			this.#reportWait(left);
			await new Promise((resolve) => void setTimeout(resolve, 1e3));
		}
		signal.throwIfAborted();
		this.#reportWait(null);
	}
};
async function answerOf(response) {
	if (!response.ok) {
		await response.body?.cancel();
		throw new ApiError(response.status, sentences[response.status] ?? sentences[500]);
	}
	const body = await response.text();
	const { data } = JSON.parse(body);
	return {
		data,
		body,
		snapshotId: response.headers.get("X-Snapshot-Id")
	};
}
// gateway/explore/browser/documents.ts
/** The documents of one week, by requests that the browser's cache keeps: they name the snapshot. */
var WeekDocuments = class {
	snapshotId;
	#requests;
	#signal;
	/** What was read, by the path that a proof uses. */
	read = /* @__PURE__ */ new Map();
	constructor(requests, snapshotId, signal) {
		this.#requests = requests;
		this.snapshotId = snapshotId;
		this.#signal = signal;
	}
	async brands() {
		return await this.#get("brands");
	}
	/** The week of a brand with these documents; the others are null. One request for each that was not read before. */
	async week(brand, kinds) {
		const read = kinds.map(async (kind) => [kind, await this.#document(brand, kind)]);
		return {
			brand,
			...Object.fromEntries(documentKinds.map((kind) => [kind, null])),
			...Object.fromEntries(await Promise.all(read))
		};
	}
	async #document(brand, kind) {
		const document = this.#get(`brands/${brand.id}/${kind}`);
		return kind === "results" ? await nullIfGone(document) : await document;
	}
	async #get(path) {
		const answer = await this.#requests.get(`/api/v1/snapshots/${this.snapshotId}/${path}`, this.#signal);
		this.read.set(path, answer);
		return answer.data;
	}
};
/** Null instead of a document that is not there. */
async function nullIfGone(found) {
	return await found.catch((error) => {
		if (error instanceof ApiError && error.status === 404) return null;
		throw error;
	});
}
// gateway/explore/browser/changes.ts
/** What moved since the week before, and the causes that make numbers incomparable. Four more requests. */
async function changesSince(older, before, { week, snapshot }) {
	const earlier = await nullIfGone(older.week(week.brand, [
		"visibility",
		"competitors",
		"prompts",
		"results"
	]));
	const since = before.asOf.slice(0, 10);
	if (earlier === null) return {
		before: null,
		text: markup`<p>The brand was not there as of ${since}.</p>`
	};
	const comparison = comparisonOf({
		...compared(earlier),
		snapshot: before
	}, {
		...compared(week),
		snapshot
	});
	return {
		before: earlier.visibility,
		text: changesInWords(since, comparison)
	};
}
function compared({ visibility, competitors, prompts, results }) {
	return {
		visibility,
		competitors,
		prompts,
		results
	};
}
function changesInWords(since, { notComparable, visibility, shareOfVoice }) {
	const rows = [...visibility.moved.map(({ engine, because, before, after }) => [
		engineName(engine),
		before.score,
		after.score,
		because
	]), ...shareOfVoice.moved.map(({ name, because, before, after }) => [
		withNames(`Share of voice of ${isolatedName(name)}`),
		before.sovPct,
		after.sovPct,
		because
	])];
	return markup`<h3>What changed since ${since}</h3>
    ${careText(notComparable)}
    ${rows.length === 0 ? nothingMoved : table(`What moved since ${since}`, [
		{ name: "Value" },
		{
			name: "Before, %",
			isNumber: true
		},
		{
			name: "After, %",
			isNumber: true
		},
		{ name: "Why it is listed" }
	], rows)}
    ${rulesText([...visibility.moved, ...shareOfVoice.moved].map(({ rule }) => rule))}`;
}
// gateway/explore/browser/key.ts
/** The key in a pasted text, without `Bearer` and quotes; null if that cannot be sent as a key. */
function keyIn(pasted) {
	const key = pasted.replace(/^(?:[\s"'“”‘’`]|Bearer\s)+/i, "").replace(/[\s"'“”‘’`]+$/, "");
	return /^[\x21-\x7e]+$/.test(key) ? key : null;
}
// gateway/explore/browser/page.ts
function byId(id) {
	return document.getElementById(id);
}
/** Replaces the text of an element. */
function describe(id, text) {
	const element = byId(id);
	if (element.textContent !== text) element.textContent = text;
}
/** Replaces the content of the page, and keeps the focus on the same link. */
function show({ text }) {
	const focused = document.activeElement?.getAttribute("href");
	const content = byId("content");
	content.innerHTML = text;
	if (focused !== null && focused !== void 0 && focused !== "#") content.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}
// clients/typescript/src/bytes.ts
/** UTF-8. */
function encodeText(text) {
	return new TextEncoder().encode(text);
}
/** Strict base64 (RFC 4648, section 4); null if the text is not the canonical encoding of its bytes. */
function decodeBase64(text) {
	try {
		const binary = atob(text);
		return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : null;
	} catch {
		return null;
	}
}
function encodeBase64(bytes) {
	return btoa(String.fromCharCode(...bytes));
}
function concat(...parts) {
	const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
	let at = 0;
	for (const part of parts) {
		joined.set(part, at);
		at += part.length;
	}
	return joined;
}
function isEqual(a, b) {
	return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
async function sha256(...parts) {
	return new Uint8Array(await crypto.subtle.digest("SHA-256", concat(...parts)));
}
/** In hexadecimal. */
async function sha256Hex(bytes) {
	const hash = await sha256(bytes);
	return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
/** The Ed25519 public keys in a PEM text; null for a block that is none. */
async function publicKeysIn(pem) {
	const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g) ?? [];
	return await Promise.all(blocks.map(async (block) => {
		const der = decodeBase64(block.replaceAll(/-----[A-Z ]+-----|\s/g, ""));
		if (der === null) return null;
		try {
			return {
				key: await crypto.subtle.importKey("spki", der, "Ed25519", true, ["verify"]),
				der
			};
		} catch {
			return null;
		}
	}));
}
async function isSigned(message, signature, { key }) {
	return signature.length === 64 && await crypto.subtle.verify("Ed25519", key, signature, message);
}
// clients/typescript/src/verification.ts
/** The verification failed. Branch on `code`; the message is for people. */
var VerificationError = class extends Error {
	code;
	constructor(code, message) {
		super(message);
		this.name = "VerificationError";
		this.code = code;
	}
};
/** @throws VerificationError unless it is so. */
function demand(isSo, code, otherwise) {
	if (!isSo) throw new VerificationError(code, otherwise);
}
// clients/typescript/src/verify-log.ts
/**
* Verifies that the log contains the entry of a proof (c2sp.org/tlog-proof), and that one of the keys signed its head.
* @throws VerificationError `log`, `signature`
*/
async function verifyInclusion(proof, keys, logOrigin) {
	const { entry, index, siblings, checkpoint } = parseProof(proof.inclusionProof);
	const { note, origin, size, root } = checkpoint;
	demand(logOrigin === void 0 || origin === logOrigin, "log", `the proof is of the log ${origin}`);
	demand(isEqual(entry, encodeText(proof.entry)), "log", "the proof is of another entry");
	demand(note === proof.checkpoint, "log", "the proof leads to another head of the log");
	const signer = await signerOf(checkpoint, keys);
	const found = await rootOf(await sha256(LEAF, entry), index, size, siblings);
	demand(found !== null && isEqual(found, root), "log", "the entry does not lead to the head of the log");
	return {
		log: {
			origin,
			index,
			size,
			rootHash: encodeBase64(root)
		},
		signer
	};
}
const NUMBER = "(0|[1-9]\\d{0,14})";
const HASH = "[A-Za-z0-9+/]{43}=";
/** Lines of a proof, an empty line, a checkpoint, an empty line, its signatures. */
const FORMAT = new RegExp(`^c2sp\\.org/tlog-proof@v1\nextra ([A-Za-z0-9+/=]+)\nindex ${NUMBER}\n((?:${HASH}\n)*)\n(((\\S[^\n]*)\n${NUMBER}\n(${HASH})\n(?:[^\n]+\n)*)\n((?:— [^\\s+]+ [A-Za-z0-9+/=]+\n)+))$`);
function parseProof(text) {
	const parts = FORMAT.exec(text);
	demand(parts !== null, "log", "the proof is malformed");
	const [, extra, index, siblings, note, body, origin, size, root, signatures] = parts;
	return {
		entry: bytesOf(extra),
		index: Number(index),
		siblings: siblings.split("\n").slice(0, -1).map(bytesOf),
		checkpoint: {
			note,
			text: body,
			origin,
			size: Number(size),
			root: bytesOf(root),
			signatures: signatures.split("\n").slice(0, -1).map(signatureIn)
		}
	};
}
/** @throws VerificationError `log` */
function bytesOf(text) {
	const bytes = decodeBase64(text);
	demand(bytes !== null, "log", "the proof is malformed");
	return bytes;
}
/** A line of a signed note (c2sp.org/signed-note) has a name, then key id and signature in base64. */
function signatureIn(line) {
	const [, name, base64] = line.split(" ");
	const bytes = bytesOf(base64);
	demand(bytes.length > 4, "log", "the proof is malformed");
	return {
		name,
		keyId: bytes.subarray(0, 4),
		bytes: bytes.subarray(4)
	};
}
/** What a leaf and an inner node of the tree begin with (RFC 9162, 2.1.1). */
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];
const half = (n) => Math.floor(n / 2);
/**
* The root computed from the leaf and its siblings (RFC 9162, 2.1.3.2); null if their number does not match the size.
*/
async function rootOf(leaf, index, size, siblings) {
	if (index >= size) return null;
	let [at, last, hash] = [
		index,
		size - 1,
		leaf
	];
	for (const sibling of siblings) {
		if (last === 0) return null;
		const isRight = at % 2 === 1 || at === last;
		hash = isRight ? await sha256(NODE, sibling, hash) : await sha256(NODE, hash, sibling);
		if (isRight) while (at !== 0 && at % 2 === 0) [at, last] = [half(at), half(last)];
		[at, last] = [half(at), half(last)];
	}
	return last === 0 ? hash : null;
}
/**
* The first of the keys that signed the checkpoint. One wrong line of any of them makes the whole checkpoint worthless.
* @throws VerificationError `signature`
*/
async function signerOf(checkpoint, keys) {
	const verdicts = await Promise.all(keys.map(async (key) => await verdictsOn(checkpoint, key)));
	const signer = keys.find((_, index) => verdicts[index].length > 0);
	demand(signer !== void 0, "signature", "the head of the log is not signed with the public key");
	demand(verdicts.flat().every((verdict) => verdict), "signature", "a signature of the public key is not over the head of the log");
	return signer;
}
/** For each signature line of the key, whether it is valid. */
async function verdictsOn({ text, origin, signatures }, key) {
	const id = (await sha256(encodeText(`${origin}\n`), Uint8Array.of(1), key.der.subarray(-32))).subarray(0, 4);
	const own = signatures.filter(({ name, keyId }) => name === origin && isEqual(keyId, id));
	return await Promise.all(own.map(async ({ bytes }) => await isSigned(encodeText(text), bytes, key)));
}
// clients/typescript/src/verify.ts
/**
* Verifies offline that one of the keys signed the head of the log, that the log contains the entry that published the
* snapshot, and that this entry names the manifest.
* @throws VerificationError that names what failed.
*/
async function verifySnapshot(evidence) {
	const { proof, snapshotId, workspaceId, logOrigin } = evidence;
	demand([
		proof.manifest,
		proof.entry,
		proof.inclusionProof,
		proof.checkpoint
	].every((part) => typeof part === "string"), "log", "the proof is malformed");
	const { log, signer } = await verifyInclusion(proof, await keysIn(evidence.publicKey), logOrigin);
	const entry = entryIn(proof.entry);
	const isNamed = entry?.manifestSha256 === await sha256Hex(encodeText(proof.manifest));
	demand(entry !== null && isNamed, "log", "the entry of the log is of another manifest");
	const manifest = manifestIn(proof.manifest);
	demand(manifest !== null, "log", "the entry of the log names something that is not a manifest");
	const { asOf, methodologyVersion, documents } = manifest;
	for (const { snapshotId: id, workspaceId: owner } of [entry, manifest]) {
		demand(id === snapshotId, "snapshot", `the proof is of the snapshot ${id}`);
		demand(owner === (workspaceId ?? manifest.workspaceId), "snapshot", `the snapshot is of the workspace ${owner}`);
	}
	const expectedId = await idOf(manifest);
	demand(snapshotId === expectedId, "snapshot", `the documents in the manifest are those of ${expectedId}`);
	return {
		snapshotId,
		workspaceId: manifest.workspaceId,
		sequence: entry.sequence,
		asOf,
		publishedAt: entry.at,
		methodologyVersion,
		documents: new Map(documents.map(({ path, sha256: hash }) => [path.replace(/\.json$/, ""), hash])),
		signedBy: await sha256Hex(signer.der),
		log
	};
}
/** Null if the text is not an entry that published a snapshot. */
function entryIn(text) {
	try {
		const entry = JSON.parse(text);
		const { kind, at, sequence } = entry;
		return kind === "published" && typeof at === "string" && Number.isInteger(sequence) ? entry : null;
	} catch {
		return null;
	}
}
/** Null if the text is not a manifest. */
function manifestIn(text) {
	try {
		const { workspaceId, snapshotId, asOf, methodologyVersion, documents } = JSON.parse(text);
		return [
			workspaceId,
			snapshotId,
			asOf,
			methodologyVersion,
			...documents.flatMap(({ path, sha256: hash }) => [path, hash])
		].every((part) => typeof part === "string") ? {
			workspaceId,
			snapshotId,
			asOf,
			methodologyVersion,
			documents
		} : null;
	} catch {
		return null;
	}
}
/** An id says what clients can see: the as-of time, and a hash over version and documents. */
async function idOf({ asOf, methodologyVersion, documents }) {
	const hashes = documents.map(({ path, sha256: hash }) => [path, hash]);
	const content = await sha256Hex(encodeText(JSON.stringify([
		asOf,
		methodologyVersion,
		hashes
	])));
	return `${asOf.replaceAll(/[-:]/g, "")}-${content.slice(0, 16)}`;
}
/**
* Compares a document with a snapshot that was verified.
* @throws VerificationError `document` if it was not published in it with these bytes.
*/
async function compareDocument({ documents }, path, body) {
	const expected = documents.get(path);
	demand(expected !== void 0, "document", `the snapshot has no document ${path}`);
	demand(await sha256Hex(typeof body === "string" ? encodeText(body) : body) === expected, "document", `the document ${path} was published with other bytes`);
}
async function keysIn(pem) {
	const keys = await publicKeysIn(pem);
	if (keys.length === 0) throw new VerificationError("public_key", "publicKey has no public key in PEM");
	return keys.map((key) => {
		if (key !== null) return key;
		throw new VerificationError("public_key", "publicKey has a block that is not an Ed25519 public key");
	});
}
// gateway/explore/browser/proof.ts
const PEM_START = "-----BEGIN PUBLIC KEY-----";
/**
* Checks that the documents on screen have the bytes that were published: their hashes, the place in the log, and the
* signature over the log. Takes one request of the allowance for each week.
* @param weeks the week on screen first, then the week before if it is compared
*/
async function checkProof(requests, weeks, { publicKey, origin }, signal) {
	if (!isSecureContext) return failed("This check needs a connection over HTTPS: browsers offer cryptography to no other page.");
	const isOwn = publicKey.trim() !== "";
	const pem = isOwn ? publicKey : await keyOfServer(signal);
	if (pem === "") return failed("Not checked: this server offers no public key. Paste the key of the operator.");
	if (!pem.includes(PEM_START)) return failed(`What you pasted is not a public key. A public key begins with ${PEM_START}.`);
	const logOrigin = origin.trim() === "" ? void 0 : origin.trim();
	const verified = [];
	try {
		for (const { snapshotId, read } of weeks.filter((week) => week.read.size > 0)) {
			const path = `/api/v1/snapshots/${snapshotId}/proof`;
			const { data: proof } = await requests.get(path, signal);
			const snapshot = await verifySnapshot({
				proof,
				publicKey: pem,
				snapshotId,
				logOrigin
			});
			for (const [name, { body }] of read) await compareDocument(snapshot, name, body);
			verified.push({
				snapshot,
				documents: read.size
			});
		}
	} catch (error) {
		if (error instanceof VerificationError) return failed(`Not verified: ${error.message}.`);
		throw error;
	}
	if (verified.length === 0) return failed("Not checked: no document is on screen.");
	return {
		isVerified: true,
		text: verifiedInWords(verified, isOwn)
	};
}
function failed(sentence) {
	return {
		isVerified: false,
		text: markup`<p>${sentence}</p>`
	};
}
function verifiedInWords(verified, isOwn) {
	const whose = isOwn ? "The key is the one that you pasted." : "The key came from this server, so the check is not independent: it shows that nothing was altered by accident.";
	return markup`<p>${`Verified: all ${verified.map(({ snapshot, documents }) => `${documents} documents as of ${snapshot.asOf.slice(0, 10)}`).join(" and all ")} on screen are exactly what was published. ${whose}`}</p>
    <p>
      This shows that the numbers are the ones that were published. It does not show that the measurements are right.
    </p>
    <details>
      <summary>What was checked</summary>
      ${verified.map(({ snapshot }) => evidenceInWords(snapshot))}
    </details>`;
}
function evidenceInWords({ snapshotId, sequence, publishedAt, signedBy, log }) {
	return markup`<ul>
    <li>Hashes: each document has the SHA-256 that the manifest of snapshot ${snapshotId} lists.</li>
    <li>Log: entry ${log.index + 1} of ${log.size} in the log ${log.origin} names this manifest. It is publication ${sequence} of the workspace, of ${publishedAt}. The root of these entries is ${log.rootHash}.</li>
    <li>Signature: the head of the log is signed with the key ${signedBy}.</li>
  </ul>`;
}
/** '' if the server has none. */
async function keyOfServer(signal) {
	return await (await fetch("/explore/public-key.pem", { signal })).text();
}
// gateway/explore/browser/save.ts
/** Offers what is on screen, the verdict included, as one HTML file that needs no network and contains no key. */
async function saveAsFile(title) {
	const style = await (await fetch("/explore/page.css")).text();
	const week = byId("week-name").textContent;
	const verdict = byId("verdict").innerHTML;
	const content = byId("content").cloneNode(true);
	for (const link of content.querySelectorAll("a[href^=\"#\"]")) if (content.querySelector(`[id="${link.getAttribute("href").slice(1)}"]`) === null) link.replaceWith(...link.childNodes);
	const body = markup`<main>
    <h1>${title}, ${week}</h1>
    ${verdict === "" ? markup`<p class="soft">The proof was not checked before this file was saved.</p>` : markup`<div id="verdict">${trusted(verdict)}</div>`}
    ${trusted(content.innerHTML)}
  </main>`;
	const file = new Blob([page(title, style, "'unsafe-inline'", body)], { type: "text/html" });
	const link = document.createElement("a");
	link.href = URL.createObjectURL(file);
	link.download = `brand-visibility-${week.replace(/^as of /, "")}.html`;
	link.click();
	URL.revokeObjectURL(link.href);
}
// gateway/explore/browser/tags.ts
let redraw = null;
byId("tag").addEventListener("change", () => redraw?.());
/** Offers the tags of the prompts as a filter; hides the choice if there are none. */
function offerTags(prompts, whenChosen) {
	const tags = [...new Set(prompts.flatMap((prompt) => prompt.tags))];
	const choice = byId("tag");
	const chosen = choice.value;
	choice.replaceChildren(new Option("all", ""), ...tags.toSorted().map((tag) => new Option(tag, tag)));
	choice.value = tags.includes(chosen) ? chosen : "";
	redraw = whenChosen ?? null;
	byId("tag-choice").hidden = tags.length === 0;
}
/** Null if all prompts are wanted. */
function chosenTag() {
	const { value } = byId("tag");
	return value === "" ? null : value;
}
/** The week with the chosen tag's prompts only, in the parts that list prompts. */
function chooseTag(week) {
	const value = chosenTag();
	if (value === null) return week;
	const wanted = new Set(week.prompts?.prompts.filter(({ tags }) => tags.includes(value)).map(({ id }) => id));
	const only = (prompts) => prompts.filter(({ promptId }) => wanted.has(promptId));
	return {
		...week,
		results: week.results && {
			...week.results,
			prompts: only(week.results.prompts)
		},
		stability: week.stability && {
			...week.stability,
			prompts: only(week.stability.prompts)
		}
	};
}
// gateway/explore/browser/weeks.ts
function snapshotOf({ weeks, snapshotId }) {
	return weeks.find(({ id }) => id === snapshotId);
}
function weekBefore(current) {
	return current.weeks[current.weeks.indexOf(snapshotOf(current)) - 1] ?? null;
}
/** Fills the slider, once. */
async function listWeeks(current, signal) {
	if (current.weeks.length > 0) return;
	const { data } = await current.requests.get("/api/v1/snapshots", signal);
	current.weeks = data.filter(({ id, isPruned }) => !isPruned || id === current.snapshotId).toReversed();
	const slider = byId("week");
	slider.max = String(current.weeks.length - 1);
	slider.value = String(current.weeks.indexOf(snapshotOf(current)));
	slider.disabled = current.weeks.length < 2;
	nameWeek(current);
}
/** The week that the slider is at; it may not be on screen yet. */
function chosenWeek({ weeks }) {
	return weeks[Number(byId("week").value)];
}
function nameWeek(current) {
	const name = `as of ${chosenWeek(current).asOf.slice(0, 10)}`;
	describe("week-name", name);
	describe("week-printed", `, ${name}`);
	byId("week").setAttribute("aria-valuetext", name);
}
// gateway/explore/browser/main.ts
/** Null while no key was accepted. */
let session = null;
/** The documents on screen; with those of the week before if it is compared. */
let shown = [];
/** Ends the requests of a view that is left. */
let leaving = new AbortController();
/** Runs one view: what came before it is ended, and errors are shown in words. */
async function view(work) {
	leaving.abort();
	leaving = new AbortController();
	const { signal } = leaving;
	describe("problem", "");
	describe("verdict", "");
	const checkButton = byId("check");
	checkButton.disabled = true;
	try {
		await work(signal);
		if (!signal.aborted) describe("progress", "");
	} catch (error) {
		if (signal.aborted) return;
		describe("progress", "");
		describe("problem", error instanceof ApiError ? error.message : `Something went wrong: ${String(error)}`);
		if (!(error instanceof ApiError)) reportError(error);
		else if (error.status === 401 || error.status === 402) byId("open").hidden = false;
	} finally {
		if (!signal.aborted) checkButton.disabled = false;
	}
}
async function open(key) {
	await view(async (signal) => {
		describe("progress", "Loading the brands…");
		show(markup``);
		const requests = new Requests(key, reportWait);
		const { data: brands, snapshotId } = await requests.get("/api/v1/brands", signal);
		byId("open").hidden = true;
		byId("controls").hidden = false;
		if (snapshotId === null) return show(nothingYet);
		session = {
			requests,
			weeks: [],
			snapshotId
		};
		await showWeek(session, signal, brands);
	});
}
const nothingYet = markup`<p>
  Nothing has been published for this workspace yet: it is warming up. The first week appears here after the first weekly
  run.
</p>`;
/** Shows the brand in the address, or all brands. */
async function showWeek(current, signal, known) {
	const documents = new WeekDocuments(current.requests, current.snapshotId, signal);
	shown = [documents];
	const brands = known ?? await documents.brands();
	if (brands.length === 0) return show(markup`<p>This workspace has no brands yet.</p>`);
	const brand = brands.find(({ id }) => location.hash === `#brand-${id}`);
	byId("compare-choice").hidden = brand === void 0;
	if (brand === void 0) await showGlance(current, documents, brands, signal);
	else await showBrand(current, documents, brand, signal);
}
const AT_ONCE = 4;
/** First a request for each brand, then the leaders and what was won and lost, as the allowance permits. */
async function showGlance(current, documents, brands, signal) {
	const weeks = brands.map(() => null);
	const draw = () => show(glanceBody(weeks.filter((week) => week !== null)));
	const all = [...brands.keys()];
	await inTurns(all, async (index) => {
		weeks[index] = await documents.week(brands[index], ["visibility"]);
		describe("progress", `${weeks.filter((week) => week !== null).length} of ${brands.length} brands…`);
	});
	draw();
	offerTags([]);
	await listWeeks(current, signal);
	await inTurns(all, async (index) => {
		weeks[index] = await documents.week(brands[index], [
			"visibility",
			"competitors",
			"results"
		]);
		describe("progress", "Loading who leads, and what was won and lost…");
		signal.throwIfAborted();
		draw();
	});
}
/** Calls `work` for each, a few at once. */
async function inTurns(items, work) {
	const rest = [...items];
	const worker = async () => {
		for (let next = rest.shift(); next !== void 0; next = rest.shift()) await work(next);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
function glanceBody(weeks) {
	return markup`${glance(weeks)}
    <section aria-label="The week in words">
      <h2>The week in words</h2>
      ${movedFirst(weeks).map(({ brand, visibility, competitors }) => markup`<h3><a href="#brand-${brand.id}">${nameOf(brand.name)}</a></h3>
          <p>${withNames(weekInWords(brand.name, visibility, competitors).join(" "))}</p>`)}
    </section>`;
}
async function showBrand(current, documents, brand, signal) {
	describe("progress", `Loading ${brand.name}…`);
	const week = await documents.week(brand, documentKinds);
	const draw = (changes, past) => {
		show(markup`<p class="screen"><a href="#">All brands</a></p>
        ${brandSection(chooseTag(week), engineHistories([week.visibility, ...past]), changes, chosenTag())}`);
	};
	offerTags(week.prompts?.prompts ?? [], () => draw(null, []));
	draw(null, []);
	await listWeeks(current, signal);
	const before = weekBefore(current);
	if (!isComparing()) return;
	if (before === null) return draw(markup`<p>There is no earlier week to compare with.</p>`, []);
	describe("progress", `Loading the week before…`);
	const older = new WeekDocuments(current.requests, before.id, signal);
	shown = [documents, older];
	const changes = await changesSince(older, before, {
		week,
		snapshot: snapshotOf(current)
	});
	const past = changes.before === null ? [] : [changes.before];
	offerTags(week.prompts?.prompts ?? [], () => draw(changes.text, past));
	draw(changes.text, past);
}
function isComparing() {
	return byId("compare").checked;
}
async function check() {
	const current = session;
	if (current === null) return;
	const trust = {
		publicKey: byId("public-key").value,
		origin: byId("origin").value
	};
	const { signal } = leaving;
	try {
		const { isVerified, text } = await checkProof(current.requests, shown, trust, signal);
		if (signal.aborted) return;
		byId("verdict").classList.toggle("failed", !isVerified);
		byId("verdict").innerHTML = text.text;
	} catch (error) {
		if (!signal.aborted) describe("verdict", `Not checked: ${error.message}`);
	}
}
function reportWait(seconds) {
	describe("progress", seconds === null ? "" : `Waiting ${seconds} s: the requests of this minute are used up, apart from those left to your scripts.`);
}
function again() {
	const current = session;
	if (current !== null) view(async (signal) => await showWeek(current, signal));
}
byId("open").addEventListener("submit", (event) => {
	event.preventDefault();
	const field = byId("key");
	const key = keyIn(field.value);
	if (key === null) return describe("problem", "A key has no blanks: paste only the part that starts with vis_.");
	field.value = "";
	open(key);
});
byId("week").addEventListener("input", () => {
	if (session !== null) nameWeek(session);
});
byId("week").addEventListener("change", () => {
	if (session === null) return;
	session.snapshotId = chosenWeek(session).id;
	again();
});
byId("compare").addEventListener("change", again);
byId("close").addEventListener("click", () => location.reload());
byId("save").addEventListener("click", () => void saveAsFile(document.title));
byId("check").addEventListener("click", () => void check());
addEventListener("hashchange", () => {
	again();
	byId("content").focus({ preventScroll: true });
	if (location.hash.startsWith("#brand-")) scrollTo(0, 0);
});
