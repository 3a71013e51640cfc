import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Registers the prompt that an assistant offers its user as "Monday report". */
export function registerMondayReport(server: McpServer): void {
  server.registerPrompt(
    'monday_report',
    {
      title: 'Monday report',
      description: 'What happened this week, for which brand, and whether it is noise.',
      argsSchema: z.object({
        brand: z.string().optional().describe('The name of a brand; default: all brands.'),
      }),
    },
    ({ brand = '' }) => ({ messages: [{ role: 'user', content: { type: 'text', text: textFor(brand) } }] }),
  );
}

function textFor(brand: string): string {
  const name = brand.trim();
  return `Write the Monday report for ${name === '' ? 'each brand of list_brands' : `the brand ${JSON.stringify(name)}`}.

Read the visibility and competitors documents of each brand. Call compare_weeks only for brands where an engine moved.

1. In two or three sentences: what happened this week, and for which brand. Use inWords. If nothing moved, say so.
2. A table: brand, overall visibility, engines that moved with their bands, who leads or is tied. Brands that moved come first.
3. For each engine that moved: what was expected, and the causes in notComparable. Then the prompts lost or won, from the results document.
4. What cannot be judged yet.

Say as of when the numbers are. Quote bands and intervals, and no differences of scores.`;
}
