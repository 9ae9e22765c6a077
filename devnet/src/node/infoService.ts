import type { Ledger, Raw } from '../types.ts';
import { type Args, stringArg } from './args.ts';
import { type RecordedAnswers, replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';

/** Blockchain ids that exist at a moment, the L1s' among them, and those that are still bootstrapping. */
interface Running {
  readonly chains: readonly string[];
  readonly late: readonly string[];
}

/** The info service. */
export function createInfoService(ledger: Ledger, answers: RecordedAnswers) {
  const aliases = new Map([
    ['P', ledger.p.blockchainId],
    ['X', ledger.x.blockchainId],
    ['C', ledger.c.blockchainId],
  ]);
  const idOf = (name: string, chains: readonly string[]): string | undefined =>
    aliases.get(name) ?? chains.find((id) => id === name);

  return (method: string, args: Args, now: number, { chains, late }: Running): Raw | null => {
    switch (method) {
      case 'GetNetworkID':
        return `{"networkID":"${ledger.networkId}"}`;
      case 'GetNetworkName':
        return `{"networkName":${JSON.stringify(ledger.networkName)}}`;
      case 'GetBlockchainID': {
        const alias = stringArg(args, 'alias');
        const id = idOf(alias, chains);
        if (id === undefined) throw new RpcError(`there is no ID with alias: ${alias}`);
        return `{"blockchainID":"${id}"}`;
      }
      case 'IsBootstrapped': {
        const chain = stringArg(args, 'chain');
        if (chain === '') throw new RpcError("argument 'chain' not given");
        const id = idOf(chain, chains);
        if (id === undefined) throw new RpcError(`there is no chain with alias/ID '${chain}'`);
        return `{"isBootstrapped":${!late.includes(id)}}`;
      }
      case 'GetNodeID': {
        const answer = answers.find('/ext/info', 'info.getNodeID', {}, now, true);
        return answer === null ? `{"nodeID":"${ledger.nodeId}"}` : replay(answer);
      }
      case 'Peers': {
        const answer = answers.find('/ext/info', 'info.peers', args, now, true);
        return answer === null ? '{"numPeers":"0","peers":[]}' : replay(answer);
      }
      default:
        return null;
    }
  };
}
