import type { Head, Ledger } from '../types.ts';
import { createEvmHistories, type EvmHistories } from './evm/createEvmHistories.ts';
import { createPageFaults, type PageFaults } from './http/pageFaults.ts';
import { createPageTokens, type PageTokens } from './http/pageTokens.ts';
import type { CompleteServiceOptions } from './serviceOptions.ts';

/** What every endpoint works with. */
export interface ServiceContext {
  readonly ledger: Ledger;
  readonly head: Head;
  readonly options: CompleteServiceOptions;
  readonly tokens: PageTokens;
  readonly faults: PageFaults;
  readonly evm: EvmHistories;
}

export function createServiceContext(ledger: Ledger, head: Head, options: CompleteServiceOptions): ServiceContext {
  return {
    ledger,
    head,
    options,
    tokens: createPageTokens(options.clock, options.tokenLifetimeMs, options.seed),
    faults: createPageFaults(options.pageFaults, options.seed),
    evm: createEvmHistories(ledger),
  };
}
