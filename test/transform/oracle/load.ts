import { latestTransactions } from '../../../pipelines/data-api/latestTransactions.ts';
import { containers } from '../../../pipelines/node/containers.ts';
import type { RawValue } from '../../../src/core/json/rawValue.ts';
import type { EvmHeader } from '../../../src/decode/evm/evmHeader.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { commitRecords, loadBlocks } from '../loadLedger.ts';
import { chainOf, containerOf, headersOf, listed } from './answers.ts';
import { heightsOf, type Load, receiptsHeld } from './loads.ts';
import type { DrawnBlock, World } from './world.ts';

/** Commits what a load brings, through the streams' own readers, as one load of a sync. */
export async function loadWorld(warehouse: Warehouse, chain: string, world: World, load: Load): Promise<void> {
  const headers = headersOf(world);
  const numbers = heightsOf(load, world);
  if (numbers.length === 0) return;
  const own = numbers.map((number) => world.blocks[number] as DrawnBlock);
  if (load.source === 'node') {
    const cut = (records: readonly RawValue[]) =>
      records.map((record, i) => {
        const block = own[i] as DrawnBlock;
        const held = receiptsHeld(load.receipts, block);
        const { receipts } = record.also as { receipts: readonly RawValue[] };
        return held === block.transactions.length
          ? record
          : record.with({ ...record.also, receipts: receipts.slice(0, held) });
      });
    await loadBlocks(
      warehouse,
      chainOf(chain, world, headers, load.traces),
      numbers,
      load.traces !== 'not_asked_for',
      cut,
    );
  } else if (load.source === 'containers') {
    const partition = {
      values: { index_name: 'C/block' },
      settings: { path: '', decode: true, allowIncomplete: false },
    };
    const records = own.map((block) => containerOf(block, headers[block.number] as EvmHeader));
    if (world.hasIndex) await commitRecords(warehouse, containers as never, partition, records);
  } else {
    const records = own.flatMap((block) => listed(chain, block, headers[block.number] as EvmHeader));
    if (records.length > 0)
      await commitRecords(
        warehouse,
        latestTransactions as never,
        { values: { chain_id: chain } },
        records.toReversed(),
      );
  }
}
