import { visibleCount } from '../countUpTo.ts';
import type { Ledger } from '../types.ts';
import type { Methods } from './args.ts';
import { createAvaxService } from './avaxService.ts';
import { createAvmService } from './avmService.ts';
import { createEvmBlocks } from './evmBlocks.ts';
import { createEvmService, type EvmCall } from './evmService.ts';
import { createInfoService } from './infoService.ts';
import { createL1Validators } from './l1Validators.ts';
import { createLinearBlocks } from './linearBlocks.ts';
import { isLate } from './nodeParts.ts';
import type { NodeSettings } from './nodeSettings.ts';
import { createPlatformService } from './platformService.ts';
import type { RecordedAnswers } from './recordedAnswers.ts';

/** A service at its endpoint. */
export interface Json2Service {
  /** The prefix of its methods. */
  readonly name: string;
  readonly methods: Methods;
}

/** Everything that a node answers from. */
export interface NodeServices {
  readonly info: Json2Service;
  /** By their paths below `/ext/bc/`, with the names of chains. */
  readonly json2: ReadonlyMap<string, Json2Service>;
  /** RPCs of EVM chains by the names of chains. */
  readonly evm: ReadonlyMap<string, EvmCall>;
  /** `P`, `X`, `C` or an L1's name, for an alias or a blockchain id; null for a chain this node does not run at the moment. */
  resolve(chain: string, now: number): string | null;
}

export function createNodeServices(
  ledger: Ledger,
  answers: RecordedAnswers,
  settings: () => NodeSettings,
): NodeServices {
  const { p, x, c, l1s } = ledger;
  const pBlocks = createLinearBlocks(p.blocks);
  const runningL1s = (now: number) =>
    l1s.filter(({ blockchainId, blocks }) => {
      const created = pBlocks.heightOfTx(blockchainId, Number.POSITIVE_INFINITY);
      return visibleCount(blocks, now) > 0 && (created === null || created <= pBlocks.height(now));
    });
  const info = createInfoService(ledger, answers, (now) => {
    const { without } = settings();
    const l1Ids = without.includes('bootstrap') ? [] : runningL1s(now).map(({ blockchainId }) => blockchainId);
    const late = [p, x, c].filter(({ name }) => isLate(without, name));
    return {
      chains: [...[p, x, c].map(({ blockchainId }) => blockchainId), ...l1Ids],
      late: late.map(({ blockchainId }) => blockchainId),
    };
  });
  const proposerVm: Methods = { GetProposedHeight: (_, now) => `{"height":"${pBlocks.height(now)}"}` };
  const evm = [c, ...l1s].map((chain) => {
    const blocks = createEvmBlocks(chain, settings);
    return [chain.name, createEvmService(chain, blocks, answers, settings)] as const;
  });
  return {
    info: { name: 'info', methods: info },
    json2: new Map([
      ['P', { name: 'platform', methods: createPlatformService(ledger, pBlocks, answers) }],
      ['X', { name: 'avm', methods: createAvmService(ledger, createLinearBlocks(x.blocks), answers) }],
      ['C/avax', { name: 'avax', methods: createAvaxService(ledger, answers) }],
      ['P/proposervm', { name: 'proposervm', methods: proposerVm }],
      ['C/proposervm', { name: 'proposervm', methods: proposerVm }],
      ...l1s.map((l1): [string, Json2Service] => [
        `${l1.name}/validators`,
        { name: 'validators', methods: createL1Validators(l1, answers) },
      ]),
    ]),
    evm: new Map(evm),
    resolve(chain, now) {
      const own = [p, x, c].find(({ name, blockchainId }) => chain === name || chain === blockchainId);
      if (own !== undefined) return own.blocks.length > 0 ? own.name : null;
      return runningL1s(now).find(({ blockchainId }) => blockchainId === chain)?.name ?? null;
    },
  };
}
