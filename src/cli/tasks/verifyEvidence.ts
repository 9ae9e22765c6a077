import { FirnError } from '../../core/firnError.ts';
import { stopIfAborted } from '../../publish/stopIfAborted.ts';
import { countText, plural } from '../../report/texts/numberText.ts';
import { links } from '../../run/evidence/evidenceLinks.ts';
import { type EvidenceReport, proveEvidence } from '../../run/evidence/proveEvidence.ts';
import { readConfig } from '../config/config.ts';
import { evidenceDocument } from '../json/verifyDocument.ts';
import { withWarehouse } from '../open/withProject.ts';
import { blockRange } from '../options/blockRange.ts';
import type { CliContext } from '../registerCommand.ts';
import { textTable } from '../text/textTable.ts';

/** `firn verify --evidence`: proves blocks from their containers' signatures down to the rows that the metrics count. */
export function verifyEvidence({ global, console, signal }: CliContext, range: string | true): Promise<number> {
  return withWarehouse({ settings: readConfig(global) }, async (warehouse) => {
    const report = await proveEvidence({
      warehouse,
      ...(range !== true && blockRange(range)),
      signal,
      log: console.log,
      progress: (chain, done, total) => console.bar.draw(`prove ${chain}`, done / total, `${done}/${total}`),
    });
    console.bar.clear();
    if (report.ok) stopIfAborted(signal, 'Proving');
    if (report.chains.every(({ blocks }) => blocks === 0)) {
      const where = range === true ? '' : ` in ${range}`;
      throw new FirnError(
        'not_found',
        `Nothing was proven: the warehouse holds no blocks of a node${where}. Read them with node/evm_blocks or node/containers, or name heights that were read, then verify again.`,
      );
    }
    console.data(evidenceDocument, report);
    console.print(evidenceText(report));
    return report.ok ? 0 : 3;
  });
}

function evidenceText({ chains, broken, ok }: EvidenceReport): string {
  const rows = chains.flatMap((chain) =>
    links.flatMap((link) => {
      const { proven = 0, broken: wrong = 0, not_covered = 0, not_applicable = 0 } = chain.links[link] ?? {};
      if (proven + wrong + not_covered === 0) return [];
      return [[chain.name, link, proven, wrong, not_covered, not_applicable]];
    }),
  );
  const table = textTable(['chain', 'link', 'proven', 'broken', 'not covered', 'not applicable'], rows);
  const held = chains.map(
    ({ name, blocks, first, last, blocksPerSecond }) =>
      `${name}: ${plural(blocks, 'block')} from ${first} to ${last}${lacking(last - first + 1 - blocks)}, ${countText(blocksPerSecond)} blocks/s`,
  );
  const verdict = ok
    ? 'Nothing is broken. Call traces, sizes and total difficulties are covered by no hash.'
    : brokenText({ chains, broken });
  return [table, '', ...held, '', verdict].join('\n');
}

function brokenText({ chains, broken }: Pick<EvidenceReport, 'chains' | 'broken'>): string {
  const all = chains.reduce((sum, { brokenBlocks }) => sum + brokenBlocks, 0);
  const nameOf = (id: string) => chains.find(({ chainId }) => chainId === id)?.name ?? id;
  const rows = broken.map(({ chainId, number, what }) => [nameOf(chainId), String(number), what]);
  return [
    `${plural(all, 'block fails', 'blocks fail')}${all > rows.length ? `, such as these ${rows.length}` : ''}:`,
    textTable(['chain', 'block', 'what breaks'], rows),
    '"firn backfill --again <day>" reads the blocks of a day again: what breaks then as well comes from the source.',
  ].join('\n');
}

/** A warehouse that was read in parts holds no block of the heights between them. */
const lacking = (heights: number) => (heights > 0 ? ` (${plural(heights, 'height')} between them not held)` : '');
