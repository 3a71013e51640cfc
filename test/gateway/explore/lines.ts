/** A line for each tag. The style of a saved page is left out. */
export function linesOf(html: string): string {
  return html
    .replace(/<style>.*<\/style>/s, '<style></style>')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?<(?=[a-z])/g, '\n<')
    .trim();
}
