import { limitSteps } from './limits.ts';
import { page } from './page.ts';
import type { ReportData } from './reportData.ts';
import { createView } from './view.ts';

/** A page is never larger, whatever the warehouse holds. */
export const largestPage = 1_000_000;

/**
 * The report as one HTML file that needs nothing else: as much of the data as fits into a megabyte; where something is left out,
 * it says so.
 *
 * @param live version for which a server answers; null for a file
 */
export function renderReport(data: ReportData, live: string | null = null): string {
  let text = '';
  for (const limits of limitSteps) {
    text = page(createView(data, limits), live);
    if (Buffer.byteLength(text) <= largestPage) return text;
  }
  return text;
}
