import type { WeeklyReport } from './report.ts';

/** What is to be said of the workspaces that were not published; null where there is none. */
export function heldBackText(report: WeeklyReport, requireComplete: number | undefined): string | null {
  const { heldBack } = report.completeness;
  if (heldBack.length === 0) return null;
  const more = heldBack.length > 3 ? ` and ${heldBack.length - 3} more` : '';
  return `${heldBack.length} of ${report.workspaces} workspaces were not published, because less than ${requireComplete} % of their newest week has come: ${heldBack.slice(0, 3).join(', ')}${more}`;
}
