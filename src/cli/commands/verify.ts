import { Option } from 'commander';
import { hasCode } from '../../core/firnError.ts';
import { gapText } from '../../core/knownGap.ts';
import { lostState, mayBeCopy } from '../../publish/restored/lostState.ts';
import type { Failure, Watch } from '../../publish/verify/failure.ts';
import { type Chain, declaredChains } from '../../publish/verify/verifyContinuity.ts';
import { type LakeVerdict, verifyLake } from '../../publish/verify/verifyLake.ts';
import { verifyState } from '../../publish/verify/verifyState.ts';
import { plural } from '../../report/texts/numberText.ts';
import { layoutsOf } from '../../run/layoutsOf.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { type Configured, readConfigured } from '../config/configured.ts';
import { lakeDocument } from '../json/verifyDocument.ts';
import { count } from '../options/optionValues.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { verifyEvidence } from '../tasks/verifyEvidence.ts';
import { verifySource } from '../tasks/verifySource.ts';
import type { Console } from '../terminal/console.ts';
import { textTable } from '../text/textTable.ts';

/** `firn verify`: whether what readers see is complete and unharmed. */
export const verifyCommand: RegisterCommand = (program, act) => {
  program
    .command('verify')
    .description(
      'hash every published file again, read all of the state and compare it with them, check continuity and row counts, and give one verdict',
    )
    .addOption(
      new Option(
        '--evidence [range]',
        'prove blocks from their signatures down to what metrics count: C, 100..200, C:100..200',
      ).conflicts('againstSource'),
    )
    .option(
      '--against-source [containers]',
      'ask the node about containers and P-Chain blocks chosen at random, so many of each (100)',
      count,
    )
    .action(
      act(async (context, { evidence, againstSource }: { evidence?: string | true; againstSource?: number | true }) => {
        if (evidence !== undefined) return verifyEvidence(context, evidence);
        if (againstSource !== undefined) return verifySource(context, againstSource === true ? 100 : againstSource);
        const { global, console, signal } = context;
        const { settings, registry } = await readConfigured({ ...global, onlyShows: true });
        const chains = declaredChains(registry.catalogue);
        const watch: Watch = {
          signal,
          progress: (done, total) => console.bar.draw('verify', total === 0 ? null : done / total, `${done}/${total}`),
        };
        const verdict = settings.engine
          ? await (await import('../../cluster/verify/verifyCluster.ts')).verifyCluster(settings, chains, watch)
          : await verifyHere({ settings, registry }, { ...watch, chains }, console);
        console.bar.clear();
        console.data(lakeDocument, verdict);
        console.print(verdictText(verdict, settings.engine !== undefined));
        return verdict.ok ? 0 : 3;
      }),
    );
};

/** The lake of this machine, and its state, unless a run holds it, this user may not read it, or there never was one. */
async function verifyHere(
  { settings: { warehouse }, registry }: Pick<Configured, 'settings' | 'registry'>,
  options: Watch & { readonly chains: readonly Chain[] },
  console: Console,
): Promise<LakeVerdict> {
  const { catalogue, actions, models = await readModels() } = registry;
  const lake = await verifyLake(warehouse, options);
  console.bar.clear();
  const lost = await lostState(warehouse);
  if (lost !== null && (await mayBeCopy(warehouse))) {
    console.note(lost);
    return lake;
  }
  const harmed = await verifyState(warehouse, layoutsOf([...catalogue, ...actions], models)).catch((error: unknown) => {
    if (!hasCode(error, 'locked', 'disk')) throw error;
    console.note(`${error.message.split('. ')[0]}: the state was not checked.`);
    return [];
  });
  return { ...lake, ok: lake.ok && harmed.length === 0, failures: [...lake.failures, ...harmed] };
}

function verdictText(
  { ok, version, files, bytes, rows, failures, knownGaps }: LakeVerdict,
  isCluster: boolean,
): string {
  const read = `${plural(files, 'file')}, ${(bytes / 1e6).toFixed(1)} MB, ${plural(rows, 'row')}`;
  const gaps = knownGaps.slice(0, gapsShown).map((gap) => [gap.stream, gap.partition, gapText(gap)]);
  const more = knownGaps.length - gaps.length;
  const left = more > 0 ? `\nand ${plural(more, 'more gap')}: "firn --json verify" lists them all` : '';
  const known =
    gaps.length > 0 ? `\n${knownGapsText}\n${textTable(['stream', 'partition', 'missing'], gaps)}${left}` : '';
  const what = isCluster ? 'snapshot, batch, staged file' : 'hash, row count';
  if (ok) return `Version ${version} is whole: ${read}; every ${what}, height and parent hash is right.${known}`;
  const rowsOf = failures.map(({ check, item, message }) => [check, item, message]);
  return `Version ${version} is damaged: ${read}.\n${textTable(['check', 'item', 'what is wrong'], rowsOf)}\n${isCluster ? clusterRemedy : remedy(failures)}${known}`;
}

const clusterRemedy = 'docs/cluster.md says what helps against each of them.';

/** The error of a damaged state already says what to do. What was never read no file can be rewritten from, and no publish removes what others made. */
function remedy(failures: LakeVerdict['failures']): string {
  const isAll = (what: Failure['check']) => failures.every(({ check }) => check === what);
  if (isAll('state')) return 'Readers see what was published, which is whole.';
  if (isAll('foreign')) return 'Remove these files: firn did not make them. What it published is whole.';
  return `Run "firn publish --repair" to rewrite what is damaged from the state.${
    failures.some(({ check }) => check === 'gap')
      ? ' What is missing may be in quarantine: "firn quarantine" lists what could not be read.'
      : ''
  }`;
}

/** An index may lack thousands. */
const gapsShown = 20;

const knownGapsText =
  'Known gaps: what the source lacks and allowIncomplete passes over, and records in quarantine that were accepted:';
