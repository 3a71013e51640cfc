import type { Visibility } from '../../../lib/documents/visibility.ts';

/** The visibility of a brand without answers. */
export const emptyVisibility: Omit<Visibility, 'brand'> = {
  events: [],
  overallVisibility: 0,
  perEngine: [],
  trend: {},
  moved: [],
  silent: [],
  alerts: [],
  signals: {
    netSentiment: null,
    positive: 0,
    neutral: 0,
    negative: 0,
    avgPosition: null,
    mentions: 0,
    answers: 0,
    answersNaming: 0,
  },
};
