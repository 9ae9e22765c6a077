import { isCommit } from '../codec/blockType.ts';
import type { Ledger } from '../types.ts';
import { id, type Methods, method, strings } from './args.ts';
import type { LinearBlocks } from './linearBlocks.ts';
import { type Platform, platformPath } from './platform.ts';
import { platformChains } from './platformChains.ts';
import { collectPlatformFacts, type PlatformFacts } from './platformFacts.ts';
import { platformStakings } from './platformStakings.ts';
import type { RecordedAnswers } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';
import { checkAddress, getUtxos, recordedState } from './utxos.ts';

/** The platform service: blocks and transactions from the recorded blocks, state from recorded answers. */
export function createPlatformService(ledger: Ledger, blocks: LinearBlocks, answers: RecordedAnswers): Methods {
  let known: PlatformFacts | undefined;
  const facts = (): PlatformFacts => {
    known ??= collectPlatformFacts(ledger.p.blocks);
    return known;
  };
  const platform: Platform = { ledger, blocks, answers, facts };
  const height = (_: unknown, now: number) => `{"height":"${blocks.height(now)}"}`;
  return {
    GetBlock: blocks.getBlock,
    GetBlockByHeight: blocks.getBlockByHeight,
    GetHeight: height,
    GetProposedHeight: height,
    GetTimestamp: (_, now) => `{"timestamp":"${facts().times[blocks.height(now)] ?? ''}"}`,
    GetTx: (args, now) => blocks.getTx(args, now, "couldn't get tx: not found"),
    GetTxStatus: method({ txID: id }, ({ txID }, now) => `{"status":"${statusOf(platform, txID, now)}"}`),
    ...platformChains(platform),
    ...platformStakings(platform),
    GetBalance: method({ addresses: strings }, ({ addresses }, now) => {
      addresses.forEach(checkAddress);
      if (addresses.length > 0) return recordedState(answers, platformPath, 'platform.getBalance', { addresses }, now);
      return '{"balance":"0","unlocked":"0","lockedStakeable":"0","lockedNotStakeable":"0","balances":{},"unlockeds":{},"lockedStakeables":{},"lockedNotStakeables":{},"utxoIDs":null}';
    }),
    GetUTXOs: (args, now) => getUtxos(answers, platformPath, 'platform.getUTXOs', args, now),
    GetValidatorsAt(args, now) {
      const at = args['height'];
      const past = typeof at !== 'string' || /^\d+$/.test(at);
      if (past && Number(at) > blocks.height(now)) throw new RpcError('failed to get validator set: not found');
      const moment = past ? Number.POSITIVE_INFINITY : now;
      return recordedState(answers, platformPath, 'platform.getValidatorsAt', args, moment);
    },
  };
}

function statusOf({ ledger, blocks, facts }: Platform, txID: string, now: number): string {
  const height = blocks.heightOfTx(txID, now);
  if (height === null) return 'Unknown';
  if (facts().proposedAt.get(txID) !== height) return 'Committed';
  if (height >= blocks.height(now)) return 'Processing';
  return isCommit(ledger.p.blocks[height + 1]) ? 'Committed' : 'Aborted';
}
