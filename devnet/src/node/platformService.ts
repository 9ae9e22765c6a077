import { decodeCb58, EMPTY_ID } from '../cb58.ts';
import { rawElements, rawMembers } from '../rawMembers.ts';
import type { Ledger, Raw } from '../types.ts';
import { type Args, encodingArg, idArg, nodeIdsArg, recodeHex, stringArg, stringsArg } from './args.ts';
import type { LinearBlocks } from './linearBlocks.ts';
import { collectPlatformFacts, isCommit, type PlatformFacts } from './platformFacts.ts';
import { type RecordedAnswers, replay } from './recordedAnswers.ts';
import { goString, RpcError } from './rpcError.ts';
import { checkAddress, getUtxos, recordedState } from './utxos.ts';

const PATH = '/ext/bc/P';
const EVM_VM = 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6';
const AVM_VM = 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq';

/** The platform service: blocks and transactions from the recorded blocks, state from recorded answers. */
export function createPlatformService(ledger: Ledger, blocks: LinearBlocks, answers: RecordedAnswers) {
  let known: PlatformFacts | undefined;
  const facts = (): PlatformFacts => {
    known ??= collectPlatformFacts(ledger.p.blocks);
    return known;
  };
  const chainAlias = (id: string): string => {
    if (id === ledger.c.blockchainId) return 'C';
    if (id === ledger.x.blockchainId) return 'X';
    return id === ledger.p.blockchainId ? 'P' : id;
  };

  const status = (args: Args, now: number): Raw => {
    const id = idArg(args, 'txID');
    const height = blocks.heightOfTx(id, now);
    if (height === null) return '{"status":"Unknown"}';
    if (facts().proposedAt.get(id) !== height) return '{"status":"Committed"}';
    if (height >= blocks.height(now)) return '{"status":"Processing"}';
    return isCommit(ledger.p.blocks[height + 1]) ? '{"status":"Committed"}' : '{"status":"Aborted"}';
  };

  const rewards = (args: Args, now: number): Raw => {
    const id = idArg(args, 'txID');
    const encoding = encodingArg(args);
    const ended = facts().endedAt.get(id);
    const reward = ended !== undefined && ended <= blocks.height(now) ? ledger.rewards.get(id) : undefined;
    const members = rawMembers(reward?.result ?? '{"numFetched":"0","utxos":[]}');
    const utxos = rawElements(members.get('utxos') ?? '[]').map((text) => `"${recodeHex(JSON.parse(text), encoding)}"`);
    return `{"numFetched":"${utxos.length}","utxos":[${utxos.join()}],"encoding":"${encoding}"}`;
  };

  const blockchains = (now: number): Raw => {
    const height = blocks.height(now);
    // The node walks its subnets, and the chains of each, from the newest to the oldest.
    const age = (chain: { subnetID: string }): number => blocks.heightOfTx(chain.subnetID, now) ?? -1;
    const created = facts()
      .createdChains.filter((chain) => chain.height <= height)
      .map((chain, order) => ({ chain, order }))
      .sort((a, b) => age(b.chain) - age(a.chain) || b.order - a.order)
      .map(({ chain: { id, name, subnetID, vmID } }) => ({ id, name, subnetID, vmID }));
    const genesis = [
      { id: ledger.c.blockchainId, name: 'C-Chain', subnetID: EMPTY_ID, vmID: EVM_VM },
      { id: ledger.x.blockchainId, name: 'X-Chain', subnetID: EMPTY_ID, vmID: AVM_VM },
    ];
    const texts = [...created, ...genesis].map(
      ({ id, name, subnetID, vmID }) =>
        `{"id":"${id}","name":${goString(name)},"subnetID":"${subnetID}","vmID":"${vmID}"}`,
    );
    return `{"blockchains":[${texts.join()}]}`;
  };

  const blockchainStatus = (args: Args, now: number): Raw => {
    const given = stringArg(args, 'blockchainID');
    if (given === '') throw new RpcError("argument 'blockchainID' not given");
    const alias = chainAlias(given);
    const created = facts().createdChains.find(({ id }) => id === alias);
    const future = created !== undefined && created.height > blocks.height(now);
    if (alias.length > 1 && future) return '{"status":"Unknown"}';
    const known = ['P', 'C', 'X'].includes(alias) || created !== undefined;
    for (const blockchainID of known ? [alias, given] : [given]) {
      const answer = answers.find(PATH, 'platform.getBlockchainStatus', { blockchainID }, now, created === undefined);
      if (answer !== null) return replay(answer);
    }
    if (known) return `{"status":"${created === undefined ? 'Validating' : 'Created'}"}`;
    if (decodeCb58(given, 32) !== null) return '{"status":"Unknown"}';
    throw new RpcError(`problem parsing blockchainID ${goString(given)}: base58 decoding error: not an id`);
  };

  /** Stakings without those that have ended since they were recorded, and each without such delegators. */
  const current = (listed: readonly Raw[], now: number): Raw[] =>
    listed
      .filter((text) => {
        const { txID = '' } = JSON.parse(text) as { txID?: string };
        return (facts().endedAt.get(txID) ?? Number.POSITIVE_INFINITY) > blocks.height(now);
      })
      .map((text) => {
        const delegators = rawMembers(text).get('delegators');
        if (!delegators?.startsWith('[')) return text;
        return text.replace(delegators, () => `[${current(rawElements(delegators), now).join()}]`);
      });

  const validators = (args: Args, now: number): Raw => {
    const subnetID = idArg(args, 'subnetID');
    const nodeIDs = nodeIdsArg(args, 'nodeIDs');
    const method = 'platform.getCurrentValidators';
    const subnet = subnetID === EMPTY_ID ? {} : { subnetID };
    const all = answers.find(PATH, method, subnet, now, true);
    if (all === null) return '{"validators":[]}';
    const own = nodeIDs.length > 0 ? answers.find(PATH, method, { ...subnet, nodeIDs }, now, true) : null;
    // The answer about a single node lists its delegators; it counts only if it is as new as the list of all.
    const source = own !== null && own.takenAt >= all.takenAt ? own : all;
    const early = source.takenAt > now;
    const listed = rawElements(rawMembers(replay(source)).get('validators') ?? '[]');
    const kept = current(listed, now).filter((text) => {
      const { nodeID, startTime } = JSON.parse(text) as { nodeID: string; startTime: string };
      if (nodeIDs.length > 0 && !nodeIDs.includes(nodeID)) return false;
      // Before the first recorded moment: whoever had started by now.
      return !early || Number(startTime) * 1000 <= now;
    });
    return `{"validators":[${kept.join()}]}`;
  };

  const supply = (args: Args, now: number): Raw => {
    const subnetID = idArg(args, 'subnetID');
    const params = subnetID === EMPTY_ID ? {} : { subnetID };
    const answer = answers.find(PATH, 'platform.getCurrentSupply', params, now, subnetID === EMPTY_ID);
    if (answer === null) throw new RpcError('fetching current supply failed: not found');
    const result = replay(answer);
    return answer.takenAt <= now ? result : result.replace(/"height":"\d+"/, `"height":"${blocks.height(now)}"`);
  };

  const balance = (args: Args, now: number): Raw => {
    const addresses = stringsArg(args, 'addresses');
    addresses.forEach(checkAddress);
    if (addresses.length === 0) {
      return '{"balance":"0","unlocked":"0","lockedStakeable":"0","lockedNotStakeable":"0","balances":{},"unlockeds":{},"lockedStakeables":{},"lockedNotStakeables":{},"utxoIDs":null}';
    }
    return recordedState(answers, PATH, 'platform.getBalance', { addresses }, now);
  };

  const validatorsAt = (args: Args, now: number): Raw => {
    const height = args['height'];
    const past = typeof height !== 'string' || /^\d+$/.test(height);
    if (past && Number(height) > blocks.height(now)) throw new RpcError('failed to get validator set: not found');
    return recordedState(answers, PATH, 'platform.getValidatorsAt', args, past ? Number.POSITIVE_INFINITY : now);
  };

  return (method: string, args: Args, now: number): Raw | null => {
    switch (method) {
      case 'GetBlock':
        return blocks.getBlock(args, now);
      case 'GetBlockByHeight':
        return blocks.getBlockByHeight(args, now);
      case 'GetHeight':
      case 'GetProposedHeight':
        return `{"height":"${blocks.height(now)}"}`;
      case 'GetTimestamp':
        return `{"timestamp":"${facts().times[blocks.height(now)] ?? ''}"}`;
      case 'GetTx':
        return blocks.getTx(args, now, "couldn't get tx: not found");
      case 'GetTxStatus':
        return status(args, now);
      case 'GetRewardUTXOs':
        return rewards(args, now);
      case 'GetBlockchains':
        return blockchains(now);
      case 'GetBlockchainStatus':
        return blockchainStatus(args, now);
      case 'GetCurrentValidators':
        return validators(args, now);
      case 'GetCurrentSupply':
        return supply(args, now);
      case 'GetBalance':
        return balance(args, now);
      case 'GetUTXOs':
        return getUtxos(answers, PATH, 'platform.getUTXOs', args, now);
      case 'GetValidatorsAt':
        return validatorsAt(args, now);
      default:
        return null;
    }
  };
}
