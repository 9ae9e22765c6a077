import { emptyId } from '../codec/cb58.ts';
import { rawElements, rawMembers } from '../codec/rawMembers.ts';
import type { Raw } from '../types.ts';
import { type Encoding, encoding, id, type Methods, method, nodeIds, recodeHex } from './args.ts';
import { type Platform, platformPath } from './platform.ts';
import { replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';

/** What the P-Chain says about stakings, their rewards, and the supply that these come from. */
export const platformStakings = (platform: Platform): Methods => ({
  GetRewardUTXOs: method({ txID: id, encoding }, ({ txID, encoding }, now) => rewards(platform, txID, encoding, now)),
  GetCurrentValidators: method({ subnetID: id, nodeIDs: nodeIds }, ({ subnetID, nodeIDs }, now) =>
    validators(platform, subnetID, nodeIDs, now),
  ),
  GetCurrentSupply: method({ subnetID: id }, ({ subnetID }, now) => supply(platform, subnetID, now)),
});

function rewards({ ledger, blocks, facts }: Platform, txID: string, encoding: Encoding, now: number): Raw {
  const ended = facts().endedAt.get(txID);
  const reward = ended !== undefined && ended <= blocks.height(now) ? ledger.rewards.get(txID) : undefined;
  const members = rawMembers(reward?.result ?? '{"numFetched":"0","utxos":[]}');
  const utxos = rawElements(members.get('utxos') ?? '[]').map((text) => `"${recodeHex(JSON.parse(text), encoding)}"`);
  return `{"numFetched":"${utxos.length}","utxos":[${utxos.join()}],"encoding":"${encoding}"}`;
}

function validators(platform: Platform, subnetID: string, nodeIDs: readonly string[], now: number): Raw {
  const { answers } = platform;
  const method = 'platform.getCurrentValidators';
  const subnet = subnetID === emptyId ? {} : { subnetID };
  const all = answers.find(platformPath, method, subnet, now, true);
  if (all === null) return '{"validators":[]}';
  const own = nodeIDs.length > 0 ? answers.find(platformPath, method, { ...subnet, nodeIDs }, now, true) : null;
  // The answer about a single node lists its delegators; it counts only if it is as new as the list of all.
  const source = own !== null && own.takenAt >= all.takenAt ? own : all;
  const early = source.takenAt > now;
  const listed = rawElements(rawMembers(replay(source)).get('validators') ?? '[]');
  const kept = current(platform, listed, now).filter((text) => {
    const { nodeID, startTime } = JSON.parse(text) as { nodeID: string; startTime: string };
    if (nodeIDs.length > 0 && !nodeIDs.includes(nodeID)) return false;
    // Before the first recorded moment: those that had started by then.
    return !early || Number(startTime) * 1000 <= now;
  });
  return `{"validators":[${kept.join()}]}`;
}

/** Stakings without those that have ended since they were recorded, and each without such delegators. */
function current(platform: Platform, listed: readonly Raw[], now: number): Raw[] {
  const { blocks, facts } = platform;
  return listed
    .filter((text) => {
      const { txID = '' } = JSON.parse(text) as { txID?: string };
      return (facts().endedAt.get(txID) ?? Number.POSITIVE_INFINITY) > blocks.height(now);
    })
    .map((text) => {
      const delegators = rawMembers(text).get('delegators');
      if (!delegators?.startsWith('[')) return text;
      return text.replace(delegators, () => `[${current(platform, rawElements(delegators), now).join()}]`);
    });
}

function supply({ answers, blocks }: Platform, subnetID: string, now: number): Raw {
  const params = subnetID === emptyId ? {} : { subnetID };
  const answer = answers.find(platformPath, 'platform.getCurrentSupply', params, now, subnetID === emptyId);
  if (answer === null) throw new RpcError('fetching current supply failed: not found');
  const result = replay(answer);
  return answer.takenAt <= now ? result : result.replace(/"height":"\d+"/, `"height":"${blocks.height(now)}"`);
}
