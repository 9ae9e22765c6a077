import type { Finding, FindingState } from './finding.ts';
import type { ChainOffer } from './probeChain.ts';

/** What a source says of itself. */
export interface Offer {
  /** `missing`: it answers, but does not say what it has; `unreachable` and `refused`: nothing more was asked. */
  readonly state: FindingState;
  readonly networkId: number | null;
  /** The EVM chains that were asked about and answer. */
  readonly chains: readonly ChainOffer[];
  /** The chains that a service lists. */
  readonly listed: readonly ListedChain[];
  readonly findings: readonly Finding[];
}

/** The number of the network, by the first source that says it. */
export const networkIdIn = (offers: Readonly<Record<string, Offer>>): number | null =>
  Object.values(offers).find(({ networkId }) => networkId !== null)?.networkId ?? null;

export interface ListedChain {
  /** Decimal. */
  readonly chainId: string;
  readonly isTestnet: boolean;
}
