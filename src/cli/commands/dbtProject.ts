import { resolve } from 'node:path';
import { shellWord } from '../../core/text/shellWord.ts';
import { openReader } from '../../publish/reader/openReader.ts';
import { ownReaderFile } from '../../publish/reader/readerPaths.ts';
import { plural } from '../../report/texts/numberText.ts';
import { writeDbtProject } from '../../run/dbt/writeDbtProject.ts';
import { readAudits } from '../../transform/audits/readAudits.ts';
import { readConfigured } from '../config/configured.ts';
import { dbtProjectDocument } from '../json/otherDocuments.ts';
import { refuseCluster } from '../open/withProject.ts';
import { withReader } from '../open/withReader.ts';
import type { RegisterCommand } from '../registerCommand.ts';

/** `firn dbt-project`: a dbt project whose sources are what is published. */
export const dbtProjectCommand: RegisterCommand = (program, act) => {
  program
    .command('dbt-project')
    .description('write a dbt project over what is published: sources, tests, exposures')
    .argument('[folder]', 'where to write it', 'dbt')
    .action(
      act(async ({ global, console }, folder: string) => {
        const { settings, registry } = await readConfigured({ ...global, onlyShows: true });
        refuseCluster(settings, 'firn dbt-project');
        const database = ownReaderFile(settings.warehouse);
        const { audits = await readAudits(), notebooks } = registry;
        const written = await withReader(openReader(settings.warehouse), (reader) =>
          writeDbtProject(resolve(folder), { reader, database, audits, notebooks }),
        );
        const { sources, tests, exposures, leftOut, kept } = written;
        console.data(dbtProjectDocument, written);
        console.print(
          [
            `${written.folder}: ${plural(sources, 'source table')}, ${plural(tests, 'test')}, ${plural(exposures, 'exposure')}.`,
            ...(kept.length > 0 ? [`Left as they are: ${kept.join(', ')}.`] : []),
            ...(leftOut.length > 0
              ? [`Not tested, because what they read is not published: ${leftOut.join(', ')}.`]
              : []),
            `Next: pip install "dbt-core<1.12" dbt-duckdb && cd ${shellWord(folder)} && dbt build`,
          ].join('\n'),
        );
        return 0;
      }),
    );
};
