import { verifyLake } from '../../publish/verifyLake.ts';
import { readConfig } from '../config.ts';
import type { RegisterCommand } from '../runCli.ts';

/** `firn verify`: whether what readers see is complete and unharmed. */
export const verifyCommand: RegisterCommand = (program, act) => {
  program
    .command('verify')
    .description('hash every published file again, check continuity and row counts, and give one verdict')
    .action(
      act(async ({ global, console, signal }) => {
        const settings = readConfig(global);
        const verdict = await verifyLake(settings.warehouse, {
          signal,
          progress: (done: number, total: number) =>
            console.bar.draw('verify', total === 0 ? null : done / total, `${done}/${total} files`),
        });
        console.bar.clear();
        console.data(verdict);
        console.print(JSON.stringify(verdict));
        return verdict.ok ? 0 : 3;
      }),
    );
};
