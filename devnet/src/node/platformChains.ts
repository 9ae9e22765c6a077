import { emptyId, isCb58 } from '../codec/cb58.ts';
import type { Raw } from '../types.ts';
import { type Methods, method, string } from './args.ts';
import { type Platform, platformPath } from './platform.ts';
import { replay } from './recordedAnswers.ts';
import { goString, RpcError } from './rpcError.ts';

const evmVm = 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6';
const avmVm = 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq';

/** What the P-Chain says about blockchains. */
export const platformChains = (platform: Platform): Methods => ({
  GetBlockchains: (_, now) => blockchains(platform, now),
  GetBlockchainStatus: method({ blockchainID: string }, ({ blockchainID }, now) =>
    blockchainStatus(platform, blockchainID, now),
  ),
});

function blockchains({ ledger, blocks, facts }: Platform, now: number): Raw {
  const height = blocks.height(now);
  // The node walks its subnets, and the chains of each, from the newest to the oldest.
  const age = (chain: { subnetID: string }): number => blocks.heightOfTx(chain.subnetID, now) ?? -1;
  const created = facts()
    .createdChains.filter((chain) => chain.height <= height)
    .map((chain, order) => ({ chain, order }))
    .sort((a, b) => age(b.chain) - age(a.chain) || b.order - a.order)
    .map(({ chain: { id, name, subnetID, vmID } }) => ({ id, name, subnetID, vmID }));
  const genesis = [
    { id: ledger.c.blockchainId, name: 'C-Chain', subnetID: emptyId, vmID: evmVm },
    { id: ledger.x.blockchainId, name: 'X-Chain', subnetID: emptyId, vmID: avmVm },
  ];
  const texts = [...created, ...genesis].map(
    ({ id, name, subnetID, vmID }) =>
      `{"id":"${id}","name":${goString(name)},"subnetID":"${subnetID}","vmID":"${vmID}"}`,
  );
  return `{"blockchains":[${texts.join()}]}`;
}

function blockchainStatus({ ledger, blocks, answers, facts }: Platform, given: string, now: number): Raw {
  if (given === '') throw new RpcError("argument 'blockchainID' not given");
  const alias = [ledger.c, ledger.x, ledger.p].find(({ blockchainId }) => blockchainId === given)?.name ?? given;
  const created = facts().createdChains.find(({ id }) => id === alias);
  const future = created !== undefined && created.height > blocks.height(now);
  if (alias.length > 1 && future) return '{"status":"Unknown"}';
  const known = ['P', 'C', 'X'].includes(alias) || created !== undefined;
  for (const blockchainID of known ? [alias, given] : [given]) {
    const params = { blockchainID };
    const answer = answers.find(platformPath, 'platform.getBlockchainStatus', params, now, created === undefined);
    if (answer !== null) return replay(answer);
  }
  if (known) return `{"status":"${created === undefined ? 'Validating' : 'Created'}"}`;
  if (isCb58(given, 32)) return '{"status":"Unknown"}';
  throw new RpcError(`problem parsing blockchainID ${goString(given)}: base58 decoding error: not an id`);
}
