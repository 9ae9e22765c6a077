import { resolve } from 'node:path';
import { tablesOf } from '../../core/stream/stream.ts';
import { dataDictionary } from '../../dictionary/dataDictionary.ts';
import { declaredTables } from '../../dictionary/declaredTables.ts';
import { readDictionary } from '../../dictionary/readDictionary.ts';
import { openReader } from '../../publish/reader/openReader.ts';
import { layoutsOf } from '../../run/layoutsOf.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { readConfigured } from '../config/configured.ts';
import { dictionaryDocument } from '../json/otherDocuments.ts';
import { refuseCluster } from '../open/withProject.ts';
import { nothingYet } from '../open/withPublished.ts';
import { withReader } from '../open/withReader.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { writeOut } from '../writeOut.ts';

/** `firn dictionary`: every table and column that is declared or published, with type, unit, meaning and a published example; opens no state. */
export const dictionaryCommand: RegisterCommand = (program, act) => {
  program
    .command('dictionary')
    .description('print the data dictionary of the warehouse as Markdown')
    .option('--out <file>', 'file to write, - for stdout; default stdout')
    .action(
      act(async ({ global, console }, options: { out?: string }) => {
        const { settings, registry } = await readConfigured({ ...global, onlyShows: true });
        refuseCluster(settings, 'firn dictionary');
        const { catalogue, actions, models = await readModels() } = registry;
        const streams = [...catalogue, ...actions];
        const declared = await declaredTables(tablesOf(streams), models);
        const tables = await withReader(openReader(settings.warehouse).catch(nothingYet), (reader) =>
          readDictionary({ declared, reader, layouts: layoutsOf(streams, models) }),
        );
        const text = dataDictionary(tables);
        if (options.out === '-') {
          console.raw(text);
          return 0;
        }
        if (options.out) await writeOut(resolve(options.out), text);
        else console.print(text);
        console.data(dictionaryDocument, { tables });
        return 0;
      }),
    );
};
