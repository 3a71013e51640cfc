import { readFileSync } from 'node:fs';

/** What readers of the frozen store and lake get, whatever the formats are. The newest week is the golden case `small`. */
export const answers = {
  workspaceId: 'db5b5fab-8f4d-4e27-9da1-494c73cf256d',
  /** As of a week earlier, without the runs that were delivered late: what `test/reference` computes. */
  olderWeek: JSON.parse(readFileSync(new URL('older-week.json', import.meta.url), 'utf8')) as Record<
    string,
    Record<string, unknown>
  >,
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
