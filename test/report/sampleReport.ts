import type { ToPaste } from '../../src/core/text/toPaste.ts';
import { readRelations } from '../../src/report/read/readRelations.ts';
import { readReport } from '../../src/report/read/readReport.ts';
import type { ReportData } from '../../src/report/reportData.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { type SampleOptions, sampleWarehouse } from './sampleWarehouse.ts';

/** What the report reads from a sample warehouse. @param toPaste how its reader has queries written, where it says that */
export async function sampleReport(options: SampleOptions = {}, toPaste?: ToPaste): Promise<ReportData> {
  const sample = await sampleWarehouse(options);
  try {
    return await readReport(
      { query: sample.warehouse.query, ...(toPaste && { toPaste }) },
      await readRelations(sample.warehouse),
      {
        now: Date.UTC(2026, 3, 5, 2),
        firnVersion: '0.1.0',
        models: await readModels(),
        running: null,
        runs: [],
        unreadable: null,
        unresolved: null,
        pipelines: [],
        times: new Map([['node/evm_blocks', 'timestamp']]),
        dailyQuota: { metrics: 100_000 },
      },
    );
  } finally {
    await sample.close();
  }
}
