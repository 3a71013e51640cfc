import { readFileSync } from 'node:fs';

/** What readers of the frozen store and lake get, whatever the formats are. The newest week is the golden case `small`. */
export const answers = {
  workspaceId: 'db5b5fab-8f4d-4e27-9da1-494c73cf256d',
  /** As of a week earlier, without the runs that were delivered late: what `test/reference` computes. */
  olderWeek: JSON.parse(readFileSync(new URL('older-week.json', import.meta.url), 'utf8')) as Record<
    string,
    Record<string, unknown>
  >,
  /** How many values of each label differ between the weeks, and the prompts that were won or lost, by brand. */
  diff: {
    counts: {
      'methodology changed': 0,
      'prompts changed': 0,
      'competitors changed': 0,
      'engines changed': 0,
      'models changed': 0,
      'runs per prompt changed': 0,
      'answered prompts changed': 0,
      'brand changed': 0,
      moved: 0,
      'possibly chance': 0,
      'within noise': 18,
      'insufficient data': 32,
      'new cycle': 17,
      'not judged': 69,
    },
    wonAndLost: { '830c71c2-cdcc-4929-af45-e678309d6b79': ['won d7185dda-ee82-4c3f-bee5-a5b28d1fe1da'] },
  },
  /** A run of the week after. */
  nextRun: {
    brand_id: '830c71c2-cdcc-4929-af45-e678309d6b79',
    prompt_id: '9f8558a6-2851-4867-a66b-0d389d95847e',
    engine: 'ai_overview',
    cycle_date: '2026-11-20',
    ran_at: '2026-11-20T06:00:00Z',
    mentions: [{ name: 'Oscorp', subject: 'brand', position: 1, sentiment: 'positive' }],
    citations: [],
  },
};
