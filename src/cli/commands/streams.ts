import { existsSync } from 'node:fs';
import { catalogue } from '../../../pipelines/index.ts';
import { readConfigured } from '../config/configured.ts';
import { streamsDocument } from '../json/otherDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { exampleOf, streamReference } from '../tasks/streamReference.ts';
import { textTable } from '../text/textTable.ts';

/** `firn streams`: what there is to read. */
export const streamsCommand: RegisterCommand = (program, act) => {
  program
    .command('streams')
    .description('list all streams, including your own; --markdown prints their reference')
    .option('--markdown', 'the whole reference: parameters, tables, examples')
    .action(
      act(async ({ global, console }, options: { markdown?: boolean }) => {
        const streams = existsSync(global.config) ? (await readConfigured(global)).registry.catalogue : catalogue;
        console.data(streamsDocument, {
          streams: streams.map((stream) => ({
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
        const rows = streams.map(({ id, way, table, description }) => [id, way, table.name, description]);
        console.print(
          options.markdown ? streamReference(streams) : textTable(['stream', 'way', 'table', 'what'], rows),
        );
        return 0;
      }),
    );
};
