import { type ExportBody, FirnError, isDay, type NetworkFacts } from '../../src/index.ts';
import { addressGroups } from './addresses.ts';
import { evmAddresses } from './evmAddress.ts';
import { evmChainIds } from './evmChain.ts';
import { primaryChains } from './primaryChain.ts';

/** What a user may say of an export. */
export interface ExportChoice {
  readonly type: string;
  readonly addresses: readonly string[];
  readonly chains: readonly string[];
  readonly firstDate?: string | undefined;
  readonly lastDate?: string | undefined;
  /** Deprecated names of the two dates. */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

/** Types of exports by their short names. */
export const exportTypes = {
  evm: 'TRANSACTION_EXPORT_EVM',
  'primary-network': 'TRANSACTION_EXPORT_PRIMARY_NETWORK',
  'primary-network-staking': 'TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING',
  'primary-network-simple': 'TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE',
} as const;

/** `startDate` and `endDate` of the body are deprecated: values given under these names are sent under the new ones. */
export const deprecatedDates = { startDate: 'firstDate', endDate: 'lastDate' } as const;

/**
 * The body of an export request, addresses and chains each once and in order, so that the same request is the same export.
 *
 * @throws FirnError `usage` with the rule that the choice breaks
 */
export function exportRequest(choice: ExportChoice, network: NetworkFacts): ExportBody {
  const type = typeOf(choice.type);
  const dates = datesOf(choice);
  if (choice.chains.length === 0) throw broken('name at least one chain with --chain.');
  if (choice.addresses.length === 0) throw broken('name at least one address with --address.');
  const options = asUsage(() =>
    type === exportTypes.evm ? evmOptions(choice, network) : primaryOptions(choice, network),
  );
  return { type, ...dates, options };
}

const broken = (rule: string) => new FirnError('usage', `Nothing was asked for: ${rule}`);

function typeOf(given: string): string {
  const full: readonly string[] = Object.values(exportTypes);
  const type =
    Object.entries(exportTypes).find(([short]) => short === given.toLowerCase())?.[1] ??
    full.find((name) => name === given.toUpperCase());
  if (type) return type;
  throw broken(
    `--type ${given} is not one of ${Object.keys(exportTypes).join(', ')} (or the service's own ${full.join(', ')}).`,
  );
}

function datesOf(choice: ExportChoice): { firstDate?: string; lastDate?: string } {
  const one = (now: 'firstDate' | 'lastDate', before: 'startDate' | 'endDate'): string | undefined => {
    if (choice[now] !== undefined && choice[before] !== undefined)
      throw broken(`--${flag(before)} is the deprecated name of --${flag(now)}: give one of them.`);
    const [name, value] = choice[now] === undefined ? [before, choice[before]] : [now, choice[now]];
    if (value === undefined || isDay(value)) return value;
    throw broken(`--${flag(name)} ${value} is not a date. Write YYYY-MM-DD, such as 2026-01-20.`);
  };
  const firstDate = one('firstDate', 'startDate');
  const lastDate = one('lastDate', 'endDate');
  if (firstDate !== undefined && lastDate !== undefined && firstDate > lastDate)
    throw broken(`--first-date ${firstDate} lies after --last-date ${lastDate}. Both days are included.`);
  return { ...(firstDate !== undefined && { firstDate }), ...(lastDate !== undefined && { lastDate }) };
}

const flag = (name: string) => name.replace('Date', '-date');

/** Turns errors of a configuration into errors of the command line, where these values come from. */
function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof FirnError ? broken(error.message) : error;
  }
}

function evmOptions({ addresses, chains }: ExportChoice, network: NetworkFacts): object {
  return {
    addresses: [...evmAddresses(addresses)].sort(),
    includeChains: [...evmChainIds(network, chains)].sort(),
  };
}

/** Addresses of the Primary Network and of the C-Chain stand in members of their own. */
function primaryOptions({ addresses, chains }: ExportChoice, network: NetworkFacts): object {
  const all = [...new Set(addressGroups(addresses, network).flat())].sort();
  const bech32 = all.filter((address) => !address.startsWith('0x'));
  const evm = all.filter((address) => address.startsWith('0x'));
  return {
    ...(bech32.length > 0 && { addresses: bech32 }),
    ...(evm.length > 0 && { cChainEvmAddresses: evm }),
    includeChains: [...primaryChains(network, chains)].sort(),
  };
}
