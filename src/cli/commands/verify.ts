import { type LakeVerdict, verifyLake } from '../../publish/verifyLake.ts';
import { readConfig } from '../config.ts';
import type { RegisterCommand } from '../runCli.ts';
import { textTable } from '../textTable.ts';

/** `firn verify`: whether what readers see is complete and unharmed. */
export const verifyCommand: RegisterCommand = (program, act) => {
  program
    .command('verify')
    .description('hash every published file again, check continuity and row counts, and give one verdict')
    .action(
      act(async ({ global, console, signal }) => {
        const verdict = await verifyLake(readConfig(global).warehouse, {
          signal,
          progress: (done, total) => console.bar.draw('verify', total === 0 ? null : done / total, `${done}/${total}`),
        });
        console.bar.clear();
        console.data(verdict);
        console.print(verdictText(verdict));
        return verdict.ok ? 0 : 3;
      }),
    );
};

function verdictText({ ok, version, files, bytes, rows, failures }: LakeVerdict): string {
  const read = `version ${version}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, ${rows.toLocaleString('en-US')} rows`;
  if (ok) return `Whole. ${read}: every hash, row count, height and parent hash is right.`;
  const rowsOf = failures.map(({ check, item, message }) => [check, item, message]);
  return `Harmed. ${read}.\n${textTable(['check', 'item', 'what is wrong'], rowsOf)}\nRun "firn publish" to write what is harmed again from the state.`;
}
