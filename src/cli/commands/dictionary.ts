import { resolve } from 'node:path';
import { dataDictionary } from '../../dictionary/dataDictionary.ts';
import { readDictionary } from '../../dictionary/readDictionary.ts';
import { layoutsOf } from '../../run/layoutsOf.ts';
import { readModels } from '../../transform/readModels.ts';
import { readConfigured } from '../configured.ts';
import { dictionaryDocument } from '../json/otherDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { withWarehouse } from '../withProject.ts';
import { writeOut } from '../writeOut.ts';

/** `firn dictionary`: every table and column of the warehouse with type, unit, meaning and an example. */
export const dictionaryCommand: RegisterCommand = (program, act) => {
  program
    .command('dictionary')
    .description('print the data dictionary of the warehouse as Markdown')
    .option('--out <file>', 'file to write, - for stdout; default stdout')
    .action(
      act(async ({ global, console }, options: { out?: string }) => {
        const { settings, registry } = await readConfigured(global);
        const { catalogue, actions, models = await readModels() } = registry;
        return withWarehouse({ settings, registry }, async (warehouse) => {
          const tables = await readDictionary(warehouse, layoutsOf([...catalogue, ...actions], models));
          const text = dataDictionary(tables);
          if (options.out === '-') console.raw(text);
          else {
            console.data(dictionaryDocument, { tables });
            if (options.out) await writeOut(resolve(options.out), text);
            else console.print(text);
          }
          return 0;
        });
      }),
    );
};
