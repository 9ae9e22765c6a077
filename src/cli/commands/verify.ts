import { type LakeVerdict, verifyLake } from '../../publish/verifyLake.ts';
import { readConfig } from '../config.ts';
import { lakeDocument } from '../json/verifyDocument.ts';
import { positiveInteger } from '../optionValues.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { textTable } from '../textTable.ts';
import { verifyEvidence } from '../verifyEvidence.ts';
import { verifySource } from '../verifySource.ts';

interface VerifyOptions {
  readonly evidence?: string | true;
  readonly againstSource?: number | true;
}

/** `firn verify`: whether what readers see is complete and unharmed. */
export const verifyCommand: RegisterCommand = (program, act) => {
  program
    .command('verify')
    .description('hash every published file again, check continuity and row counts, and give one verdict')
    .option(
      '--evidence [range]',
      'prove blocks from their signatures down to what metrics count: C, 100..200, C:100..200',
    )
    .option(
      '--against-source [containers]',
      'ask the node about containers and P-Chain blocks chosen at random (100)',
      positiveInteger,
    )
    .action(
      act(async (context, options: VerifyOptions) => {
        if (options.evidence !== undefined) return verifyEvidence(context, options.evidence);
        const { againstSource } = options;
        if (againstSource !== undefined) return verifySource(context, againstSource === true ? 100 : againstSource);
        const { global, console, signal } = context;
        const verdict = await verifyLake(readConfig(global).warehouse, {
          signal,
          progress: (done, total) => console.bar.draw('verify', total === 0 ? null : done / total, `${done}/${total}`),
        });
        console.bar.clear();
        console.data(lakeDocument, verdict);
        console.print(verdictText(verdict));
        return verdict.ok ? 0 : 3;
      }),
    );
};

function verdictText({ ok, version, files, bytes, rows, failures, knownGaps }: LakeVerdict): string {
  const read = `version ${version}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, ${rows.toLocaleString('en-US')} rows`;
  const gaps = knownGaps.map(({ stream, partition, from, to }) => [
    stream,
    partition,
    to < from ? `something before ${from}` : `${from} to ${to}`,
  ]);
  const known = gaps.length > 0 ? `\n${knownGapsText}\n${textTable(['stream', 'partition', 'missing'], gaps)}` : '';
  if (ok) return `Whole. ${read}: every hash, row count, height and parent hash is right.${known}`;
  const rowsOf = failures.map(({ check, item, message }) => [check, item, message]);
  return `Harmed. ${read}.\n${textTable(['check', 'item', 'what is wrong'], rowsOf)}\nRun "firn publish" to write what is harmed again from the state.${known}`;
}

const knownGapsText = 'Known gaps, which the source has and allowIncomplete passes over:';
