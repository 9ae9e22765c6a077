import { openReader } from '../../publish/openReader.ts';
import { readRunState } from '../../run/runState.ts';
import { readConfig } from '../config.ts';
import type { RegisterCommand } from '../runCli.ts';
import { textTable } from '../textTable.ts';

const streamsSql = `
  SELECT load.stream, count(DISTINCT load."partition") AS partitions, sum(load.rows_written)::BIGINT AS "rows",
         sum(load.rows_quarantined)::BIGINT AS quarantined, max(load.committed_at)::VARCHAR AS last_load
  FROM firn.load AS load GROUP BY load.stream ORDER BY load.stream`;
const runsSql = `
  SELECT command, started_at::VARCHAR AS started_at, finished_at::VARCHAR AS finished_at, exit_code
  FROM firn.run ORDER BY started_at DESC LIMIT 20`;

/** `firn status`: what readers see now, and what is running; never waits for a run. */
export const statusCommand: RegisterCommand = (program, act) => {
  program
    .command('status')
    .description('what was read, published and is running; --runs lists the last runs')
    .option('--runs', 'the last runs')
    .action(
      act(async ({ global, console }, options: { runs?: boolean }) => {
        const { warehouse: folder } = readConfig(global);
        const running = await readRunState(folder);
        const reader = await openReader(folder);
        try {
          const rows = await reader.query<Record<string, string | number>>(options.runs ? runsSql : streamsSql);
          console.data({ warehouse: folder, running, [options.runs ? 'runs' : 'streams']: rows });
          const header = Object.keys(rows[0] ?? {});
          console.print(
            textTable(
              header,
              rows.map((row) => header.map((name) => String(row[name] ?? ''))),
            ),
          );
          console.print(
            running
              ? `${running.command} is running (process ${running.pid}, ${running.phase}, since ${running.since}).`
              : 'Nothing is running.',
          );
          return 0;
        } finally {
          reader.close();
        }
      }),
    );
};
