import { catalogue } from '../../../pipelines/index.ts';
import { streamsDocument } from '../json/otherDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { exampleOf, streamReference } from '../streamReference.ts';
import { textTable } from '../textTable.ts';

/** `firn streams`: what there is to read. */
export const streamsCommand: RegisterCommand = (program, act) => {
  program
    .command('streams')
    .description('list the streams there are; --markdown prints their reference')
    .option('--markdown', 'the whole reference: parameters, tables, examples')
    .action(
      act(async ({ console }, options: { markdown?: boolean }) => {
        console.data(streamsDocument, {
          streams: catalogue.map((stream) => ({
            id: stream.id,
            way: stream.way,
            endpoint: stream.endpoint,
            description: stream.description,
            table: stream.table.name,
            key: stream.table.key,
            deprecated: stream.deprecated ?? null,
            example: exampleOf(stream),
          })),
        });
        const rows = catalogue.map(({ id, way, table, description }) => [id, way, table.name, description]);
        console.print(
          options.markdown ? streamReference(catalogue) : textTable(['stream', 'way', 'table', 'what'], rows),
        );
        return 0;
      }),
    );
};
