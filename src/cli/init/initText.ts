import { sources as declared } from '../../../pipelines/index.ts';
import { cChainIdOf } from '../../core/stream/network.ts';
import { shownUrl } from '../../core/text/redact.ts';
import { withoutRepeats } from '../../run/probe/doctorCheck.ts';
import type { Finding } from '../../run/probe/finding.ts';
import { urlsOf } from '../config/configured.ts';
import { alignedLines } from '../text/textTable.ts';
import { groupedFindings } from './groupedFindings.ts';
import type { Allowance } from './metricsAllowed.ts';
import { keyVariable, type StarterSources } from './presets.ts';
import type { ChosenStream } from './starterStreams.ts';

/** What was written for `--extend`. @param file the configuration */
export const extendedText = (folder: string, file: string) =>
  `Wrote ${folder}: a stream of a source of its own, a model, an audit and a notebook. ${file} names the folder and reads the stream; the next "firn run" publishes mart.node_version.`;

/** What each source offers, which streams are written and why, and which of the metrics can be recomputed. */
export function initText(
  sources: StarterSources,
  findings: readonly Finding[],
  streams: readonly ChosenStream[],
  metrics: readonly Allowance[],
): string {
  const found = declared.flatMap((one) => {
    const own = groupedFindings(withoutRepeats(findings.filter(({ source }) => source === one.name)));
    if (own.length === 0) return [];
    const urls = urlsOf(one, sources[one.name as keyof StarterSources]);
    return [
      `${one.name}: ${urls.map(shownUrl).join(', ')}`,
      ...indented(own.map(({ state, about, sentence }) => [state, about, sentence])),
    ];
  });
  const words = { offered: 'written', unchecked: 'written, could not be checked', 'left out': 'left out' };
  const chosen = streams.map(
    ({ id, state, reason }) => [words[state], id, state === 'left out' ? reason : ''] as const,
  );
  const allowed = metrics.map(({ source, sentence }) => [source, sentence] as const);
  return [
    ...found,
    'streams',
    ...indented(chosen),
    ...(allowed.length > 0 ? ['the 17 metrics', ...indented(allowed)] : []),
  ].join('\n');
}

const indented = (rows: readonly (readonly string[])[]) => alignedLines(rows).map((line) => `  ${line}`);

/** What is to be done after a configuration is written. @param firn the word that begins commands */
export const nextText = (
  { variables, assumed, refused }: { variables: readonly string[]; assumed: string | null; refused: readonly string[] },
  findings: readonly Finding[],
  firn: string,
): string => `${hiddenText(variables)}${assumedText(assumed)}${nextStep(refused, findings, firn)}`;

const hiddenText = (variables: readonly string[]) =>
  variables
    .map((name) => `A URL holds a key: the configuration takes it from the environment. Set ${name} to that URL.\n`)
    .join('');

const assumedText = (network: string | null) =>
  network === null
    ? ''
    : `The node could not say which network it belongs to: ${network} is assumed, with C-Chain ${cChainIdOf(network)}. If it belongs to another, run the same "firn init" again with --force once the node answers, or with --network.\n`;

/** @param refused the sources that want a key, or another one */
function nextStep(refused: readonly string[], findings: readonly Finding[], firn: string): string {
  const isLate = findings.some(({ about, state }) => about === 'bootstrapped' && state !== 'ok');
  if (isLate)
    return `The node is still bootstrapping, so everything that could not be checked is written. Next: wait until "${firn} doctor" says that it is done; the same "firn init" with --force then writes what the node really offers.`;
  if (refused.length > 0) {
    const keys = refused.map((source) => `${keyVariable(source)} to the key of the ${source} service`);
    return `Next: set ${keys.join(', and ')}, then "${firn} doctor" says whether it is accepted.`;
  }
  // What begins late was checked, and is written as it can be read.
  return findings.some((one) => (one.state === 'unreachable' || one.state === 'refused') && !('beginsLate' in one))
    ? `What could not be checked is written all the same. Next: "${firn} doctor" says whether the sources answer.`
    : `Next: "${firn} plan" says what a sync will read, and "${firn} run" does it.`;
}
