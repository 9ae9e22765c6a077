import { rawMembers } from './codec/rawMembers.ts';
import type { ContainerRecord, EvmBlockRecord, LinearBlockRecord, Raw } from './types.ts';

/** One line of an EVM chain's file; `position` is the height it must have. */
export function toEvmBlock(line: string, position: number): EvmBlockRecord {
  const members = rawMembers(line);
  const number = heightAt(members, 'number', position);
  const container = toContainer(members.get('container'));
  const block = requiredMember(members, 'block');
  const header = rawMembers(block);
  const timestamp = Number(JSON.parse(requiredMember(header, 'timestamp')));
  const milliseconds = header.get('timestampMilliseconds');
  const blockTime = milliseconds === undefined ? timestamp * 1000 : Number(JSON.parse(milliseconds));
  const traces = members.get('traces') ?? 'null';
  return {
    number,
    visibleAt: container === null ? blockTime : Date.parse(container.timestamp),
    timestamp,
    hash: JSON.parse(requiredMember(header, 'hash')) as string,
    container,
    block,
    receipts: requiredMember(members, 'receipts'),
    traces: traces === 'null' ? null : traces,
  };
}

/** One line of the P-Chain's or X-Chain's file. */
export function toLinearBlock(line: string, position: number): LinearBlockRecord {
  const members = rawMembers(line);
  const container = toContainer(members.get('container'));
  const json = requiredMember(members, 'json');
  const block = rawMembers(requiredMember(rawMembers(json), 'block'));
  const time = block.get('time');
  return {
    height: heightAt(members, 'height', position),
    visibleAt: container === null ? Number(time ?? 0) * 1000 : Date.parse(container.timestamp),
    id: JSON.parse(requiredMember(block, 'id')) as string,
    container,
    json,
    hex: requiredMember(members, 'hex'),
    txs: rawMembers(members.get('txs') ?? '{}'),
  };
}

function toContainer(raw: Raw | undefined): ContainerRecord | null {
  if (raw === undefined || raw === 'null') return null;
  const record = JSON.parse(raw) as ContainerRecord;
  if (Number.isNaN(Date.parse(record.timestamp))) throw new Error('the container has no readable timestamp');
  return record;
}

/** Makes sure that no height is visible before a lower one, and genesis not after block 1. */
export function orderMoments<T extends { readonly visibleAt: number }>(blocks: readonly T[]): T[] {
  let latest = Number.NEGATIVE_INFINITY;
  return blocks.map((block, height) => {
    const own = height === 0 ? Math.min(block.visibleAt, blocks[1]?.visibleAt ?? block.visibleAt) : block.visibleAt;
    latest = Math.max(latest, own);
    return { ...block, visibleAt: latest };
  });
}

/** A member's raw text. Throws an Error if it is absent. */
export function requiredMember(members: ReadonlyMap<string, Raw>, name: string): Raw {
  const raw = members.get(name);
  if (raw === undefined) throw new Error(`no member "${name}"`);
  return raw;
}

function heightAt(members: ReadonlyMap<string, Raw>, name: string, position: number): number {
  const height = Number(requiredMember(members, name));
  if (height !== position)
    throw new Error(`${name} ${height} where ${position} was expected (heights run from 0 without a gap)`);
  return height;
}
