import type { Ledger, Raw } from '../types.ts';
import { type Methods, method, string } from './args.ts';
import { type RecordedAnswers, replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';

/** Blockchain ids that exist at a moment, the L1s' among them, and those that are still bootstrapping. */
interface Running {
  readonly chains: readonly string[];
  readonly late: readonly string[];
}

/** The info service. */
export function createInfoService(
  ledger: Ledger,
  answers: RecordedAnswers,
  running: (now: number) => Running,
): Methods {
  const aliases = new Map([ledger.p, ledger.x, ledger.c].map(({ name, blockchainId }) => [name, blockchainId]));
  const idOf = (name: string, now: number): string | undefined =>
    aliases.get(name) ?? running(now).chains.find((id) => id === name);
  const recorded = (name: string, params: unknown, now: number, otherwise: Raw): Raw => {
    const answer = answers.find('/ext/info', name, params, now, true);
    return answer === null ? otherwise : replay(answer);
  };
  return {
    GetNetworkID: () => `{"networkID":"${ledger.networkId}"}`,
    GetNetworkName: () => `{"networkName":${JSON.stringify(ledger.networkName)}}`,
    GetBlockchainID: method({ alias: string }, ({ alias }, now) => {
      const id = idOf(alias, now);
      if (id === undefined) throw new RpcError(`there is no ID with alias: ${alias}`);
      return `{"blockchainID":"${id}"}`;
    }),
    IsBootstrapped: method({ chain: string }, ({ chain }, now) => {
      if (chain === '') throw new RpcError("argument 'chain' not given");
      const id = idOf(chain, now);
      if (id === undefined) throw new RpcError(`there is no chain with alias/ID '${chain}'`);
      return `{"isBootstrapped":${!running(now).late.includes(id)}}`;
    }),
    GetNodeID: (_, now) => recorded('info.getNodeID', {}, now, `{"nodeID":"${ledger.nodeId}"}`),
    Peers: (args, now) => recorded('info.peers', args, now, '{"numPeers":"0","peers":[]}'),
  };
}
