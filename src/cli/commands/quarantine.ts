import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { catalogue } from '../../../pipelines/index.ts';
import { FirnError } from '../../core/firnError.ts';
import { planStreams } from '../../run/planStreams.ts';
import { replayQuarantine } from '../../run/replayQuarantine.ts';
import { readPinned } from '../../run/resolveNetwork.ts';
import { readConfig } from '../config.ts';
import { quarantineDocument, replayDocument } from '../json/stateDocuments.ts';
import { refuseWords } from '../refuseWords.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { textTable } from '../textTable.ts';
import { withWarehouse } from '../withWarehouse.ts';

/** `firn quarantine`: records that could not be read, with the reason; `replay` tries them again. */
export const quarantineCommand: RegisterCommand = (program, act) => {
  const quarantine = program
    .command('quarantine')
    .description('list records that could not be read, or try them again');
  quarantine
    .command('list', { isDefault: true })
    .description('the records with their reasons, newest first')
    .option('--all', 'also those that were replayed')
    .allowExcessArguments()
    .action(
      act(({ global, console }, options: { all?: boolean }, command: Command) => {
        refuseWords(command);
        return withWarehouse(readConfig(global), async (warehouse) => {
          const rows = await warehouse.query<Record<string, string>>(
            `SELECT load_id, "number", stream, "partition", reason, record, quarantined_at, replayed_at FROM firn.quarantine
             ${options.all ? '' : 'WHERE replayed_at IS NULL'} ORDER BY load_id DESC, "number"`,
          );
          console.data(quarantineDocument, { records: rows });
          const shown = rows.map((row) => [
            String(row['load_id']),
            row['stream'] ?? '',
            row['partition'] ?? '',
            row['reason'] ?? '',
            (row['record'] ?? '').slice(0, 60),
          ]);
          console.print(
            textTable(['load', 'stream', 'partition', 'reason', 'record'], shown) || 'Nothing is in quarantine.',
          );
          return 0;
        });
      }),
    );
  quarantine
    .command('replay')
    .description('read the records again with the schemas of this version')
    .option('-s, --select <stream...>', 'stream names and globs')
    .action(
      act(({ global, console }, options: { select?: string[] }) => {
        const settings = readConfig(global);
        return withWarehouse(settings, async (warehouse) => {
          const network = await readPinned(warehouse);
          if (!network)
            throw new FirnError('usage', 'Nothing was read into this warehouse yet. Run "firn sync" first.');
          const planned = planStreams(settings, catalogue, { select: options.select ?? [] });
          const results = await replayQuarantine(warehouse, planned, network, randomUUID());
          console.data(replayDocument, { partitions: results });
          const rows = results.map(({ stream, partition, tried, readable }) => [stream, partition, tried, readable]);
          console.print(
            textTable(['stream', 'partition', 'tried', 'readable now'], rows) || 'Nothing is in quarantine.',
          );
          return results.every(({ tried, readable }) => tried === readable) ? 0 : 4;
        });
      }),
    );
};
