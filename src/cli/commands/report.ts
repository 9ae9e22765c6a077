import { join, resolve } from 'node:path';
import { countGroups } from '../../report/verdicts/seriesVerdicts.ts';
import { readConfigured } from '../config/configured.ts';
import { reportDocument } from '../json/otherDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { makeReport, writeReport } from '../tasks/writeReport.ts';

/** `firn report`: everything that is published, as one HTML file that needs nothing else. */
export const reportCommand: RegisterCommand = (program, act) => {
  program
    .command('report')
    .description('write one HTML page with verdicts, metrics, streams, coverage, limits and runs')
    .option('-o, --out <file>', 'file to write, - for stdout; default <warehouse>/report.html')
    .option('--chain <id...>', 'chains whose metrics are drawn')
    .action(
      act(async ({ global, console }, options: { readonly out?: string; readonly chain?: string[] }) => {
        const configured = await readConfigured({ ...global, onlyShows: true });
        if (options.out === '-') {
          console.raw((await makeReport(configured, options.chain)).page);
          return 0;
        }
        const file = options.out ? resolve(options.out) : join(configured.settings.warehouse, 'report.html');
        const { data, bytes } = await writeReport(configured, file, options.chain);
        const buckets = countGroups(data.verdicts);
        console.data(reportDocument, { file, bytes, version: data.published?.version ?? null, buckets });
        console.print(file);
        return 0;
      }),
    );
};
