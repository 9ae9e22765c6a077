import { chance } from '../../chance.ts';
import { checksumAddress, zeroAddress } from '../../codec/checksumAddress.ts';
import type { Ledger } from '../../types.ts';
import { contractFacts } from '../evm/contractFacts.ts';
import type { EvmHistory } from '../evm/evmHistory.ts';

/** Says in an answer which of its members no recording holds. */
export const generatedHeader = 'x-devnet-generated';

/** An address entity: the address with its checksum, and what is known where it is a token contract. */
export function renderAddress(ledger: Ledger, history: EvmHistory, address: string | null): object {
  const facts = address === null ? undefined : contractFacts(ledger, history, address);
  return {
    ...(facts?.name == null ? {} : { name: facts.name }),
    ...(facts?.symbol == null ? {} : { symbol: facts.symbol }),
    ...(facts?.decimals == null ? {} : { decimals: facts.decimals }),
    ...(facts === undefined ? {} : generatedLogo(address ?? '')),
    address: checksumAddress(address ?? zeroAddress),
  };
}

/** Recordings have no logos: every third token has a generated one. */
export function generatedLogo(token: string): { logoUri?: string } {
  return chance(3, token) < 1 / 3 ? { logoUri: `https://devnet.invalid/generated/${token}.png` } : {};
}
