/** Of the pages that the auditor's commands write: light, dark, narrow and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #57606a; --line: #d0d7de; --wash: #f6f8fa;
  --accent: #0b57d0; --band: #0b57d026; --moved: #b3261e; --other: #8c959f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9aa4af; --line: #30363d;
  --wash: #161b22; --accent: #7cb0ff; --band: #7cb0ff33; --moved: #ff8f87; --other: #7d8590; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 76rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 .5rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
h1, h2, h3, p, li, summary { overflow-wrap: anywhere; } td, th { overflow-wrap: break-word; }
p, ul { margin: .5rem 0; max-width: 46rem; }
a { color: var(--accent); }
.soft, caption, dt, figcaption { color: var(--soft); }
.soft, figcaption, caption { font-size: .875rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1rem 0; font-size: .875rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: .75rem 0; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line);
  font-weight: 400; min-width: 4rem; }
tbody th { min-width: 9rem; } code { white-space: nowrap; }
thead th { color: var(--soft); white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
code { font: .8125rem/1.4 ui-monospace, monospace; }
figure { margin: .75rem 0; }
svg { max-width: 100%; height: auto; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: .5rem 1.5rem; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .875rem; }
.label { display: inline-block; white-space: nowrap; padding: 0 .45rem; border-radius: .6rem; background: var(--wash);
  border: 1px solid var(--line); }
.moved { color: var(--moved); border-color: currentColor; font-weight: 600; }
.names { min-width: 15rem; } .names span { white-space: nowrap; }
.matrix th, .matrix td { padding-right: .5rem; min-width: 3.5rem; } .matrix tbody th { min-width: 12rem; }
@media screen { .paper { display: none; } }
@page { margin: 15mm 12mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui, sans-serif; } }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #444; --line: #bbb; --wash: #fff;
    --accent: #0b57d0; --band: #0b57d026; --moved: #b3261e; --other: #777; }
  body { max-width: none; padding: 0; font-size: 9pt; line-height: 1.35; } p { max-width: none; }
  h2 { break-before: page; margin-top: 0; } section:first-of-type h2 { break-before: auto; }
  h2, h3, caption, summary { break-after: avoid; } figure, tr { break-inside: avoid; } .scroll { overflow: visible; }
  table { font-size: 8pt; } th, td { padding: .1rem .6rem .1rem 0; } .matrix th, .matrix td { padding-right: .3rem; min-width: 0; }
  .matrix tbody th { width: 40%; } .charts { grid-template-columns: repeat(3, 1fr); } .screen { display: none; } }
`;
