import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { catalogue } from '../../../pipelines/index.ts';
import { FirnError } from '../../core/firnError.ts';
import { configJsonSchema } from '../configJsonSchema.ts';
import type { RegisterCommand } from '../runCli.ts';
import { starterConfig } from '../starterConfig.ts';

/** `firn init`: a first configuration with its JSON Schema beside it. */
export const initCommand: RegisterCommand = (program, act) => {
  program
    .command('init')
    .description('write a configuration to begin with, and its JSON Schema for editors')
    .option('--node <url>', 'URL of the node', 'http://127.0.0.1:9650')
    .option('--data <url>', 'URL of the data service', 'http://127.0.0.1:9650')
    .option('--metrics <url>', 'URL of the metrics service', 'http://127.0.0.1:9650')
    .option('--force', 'overwrite what is there')
    .action(
      act(async ({ global, console }, options: { node: string; data: string; metrics: string; force?: boolean }) => {
        const file = resolve(global.config);
        if (existsSync(file) && !options.force) {
          throw new FirnError(
            'usage',
            `${file} is there already. Edit it, name another file with --config, or overwrite it with --force.`,
          );
        }
        const schema = join(dirname(file), 'firn.schema.json');
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, starterConfig(options));
        await writeFile(schema, `${JSON.stringify(configJsonSchema(catalogue), null, 2)}\n`);
        console.data({ config: file, schema });
        console.print(
          `Wrote ${file} and ${schema}.\nNext: edit the URLs, then "firn plan" says what a sync will read, and "firn run" does it.`,
        );
        return 0;
      }),
    );
};
