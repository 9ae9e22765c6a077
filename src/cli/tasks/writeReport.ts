import { readRelations } from '../../report/read/readRelations.ts';
import { readReport } from '../../report/read/readReport.ts';
import { renderReport } from '../../report/renderReport.ts';
import type { ReportData } from '../../report/reportData.ts';
import type { Configured } from '../config/configured.ts';
import { withPublished } from '../open/withPublished.ts';
import { writeOut } from '../writeOut.ts';

/** Reads the published data and renders the page. @param chains whose metrics are drawn; without it those with most to show */
export async function makeReport(
  configured: Configured,
  chains?: readonly string[],
): Promise<{ data: ReportData; page: string }> {
  return withPublished(configured, async (reader, context) => {
    const data = await readReport(reader, await readRelations(reader), {
      ...context,
      models: configured.registry.models,
      chains,
    });
    return { data, page: renderReport(data) };
  });
}

/**
 * Writes the report of what is published to a file, whole or not at all.
 *
 * @throws FirnError `not_found` when nothing was published yet, `disk` when the file cannot be written
 */
export async function writeReport(
  configured: Configured,
  file: string,
  chains?: readonly string[],
): Promise<{ data: ReportData; bytes: number }> {
  const { data, page } = await makeReport(configured, chains);
  await writeOut(file, page);
  return { data, bytes: Buffer.byteLength(page) };
}
