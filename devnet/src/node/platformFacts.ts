import { isCommit } from '../codec/blockType.ts';
import { rawMembers } from '../codec/rawMembers.ts';
import type { LinearBlockRecord } from '../types.ts';

interface PlatformTx {
  readonly id: string;
  readonly unsignedTx: { readonly [member: string]: unknown };
}

/** What the P-Chain's blocks say about their transactions, found once. */
export interface PlatformFacts {
  readonly createdChains: readonly { height: number; id: string; name: string; subnetID: string; vmID: string }[];
  /** Staking transaction -> height of the option block that ended it. */
  readonly endedAt: ReadonlyMap<string, number>;
  /** The transaction that a proposal block puts to the vote -> that block's height. */
  readonly proposedAt: ReadonlyMap<string, number>;
  /** P-Chain time after each height, RFC 3339. */
  readonly times: readonly string[];
}

export function collectPlatformFacts(blocks: readonly LinearBlockRecord[]): PlatformFacts {
  const createdChains: PlatformFacts['createdChains'][number][] = [];
  const endedAt = new Map<string, number>();
  const proposedAt = new Map<string, number>();
  const times: string[] = [];
  let time = '';
  let proposedTime: unknown;
  for (const { height, json, txs } of blocks) {
    const block = rawMembers(rawMembers(json).get('block') ?? '{}');
    const single = block.get('tx');
    if (single !== undefined) {
      const tx = JSON.parse(single) as PlatformTx;
      proposedAt.set(tx.id, height);
      const staked = tx.unsignedTx['txID'];
      if (typeof staked === 'string') endedAt.set(staked, height + 1);
      proposedTime = tx.unsignedTx['time'];
    } else if (isCommit(blocks[height]) && typeof proposedTime === 'number') {
      time = rfc3339(proposedTime);
    }
    const own = block.get('time');
    if (own !== undefined) time = rfc3339(Number(own));
    times.push(time);
    for (const [id, raw] of txs) {
      if (raw.includes('"chainName"')) {
        const { tx } = JSON.parse(raw) as { tx: PlatformTx };
        const { chainName, subnetID, vmID } = tx.unsignedTx as { chainName: string; subnetID: string; vmID: string };
        createdChains.push({ height, id, name: chainName, subnetID, vmID });
      }
    }
  }
  return { createdChains, endedAt, proposedAt, times };
}

function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
