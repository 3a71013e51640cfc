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
  return `Write the Monday report for ${name === '' ? 'all brands' : `the brand ${JSON.stringify(name)}`}.

Call week once: it has everything that the report needs. Call other tools only if the user asks for more.

1. In two or three sentences: what happened this week, and for which brand. Use inWords. If nothing moved, say so.
2. A table of the brands where something happened: brand, overall visibility, engines that are silent or moved, who leads or is tied. The calm brands in one line.
3. What cannot be judged yet.

Say as of when the numbers are. Quote counts of prompts, and no differences of scores.`;
}
