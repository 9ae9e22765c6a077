import { addressBytes } from '../../codec/primaryAddress.ts';
import { badRequest } from '../../problem.ts';

const exportTypes = [
  'TRANSACTION_EXPORT_EVM',
  'TRANSACTION_EXPORT_PRIMARY_NETWORK',
  'TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING',
  'TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE',
] as const;

export interface ExportRequest {
  readonly type: (typeof exportTypes)[number];
  /** YYYY-MM-DD, both included; undefined where open. */
  readonly firstDate: string | undefined;
  readonly lastDate: string | undefined;
  readonly addresses: readonly string[];
  readonly cChainEvmAddresses: readonly string[];
  readonly includeChains: readonly string[];
}

/** Reads the body of an export request; `startDate` and `endDate` are the deprecated names of the dates. Throws a 400 that lists all that is wrong. */
export function readExportRequest(body: Readonly<Record<string, unknown>>): ExportRequest {
  const problems: string[] = [];
  const type = exportTypes.find((one) => one === body['type']);
  if (type === undefined) problems.push(`type must be one of the following values: ${exportTypes.join(', ')}`);
  const date = (...names: readonly string[]): string | undefined => {
    const name = names.find((one) => body[one] !== undefined);
    if (name === undefined) return undefined;
    const value = body[name];
    if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)))
      return value;
    problems.push(`${name} must be a valid ISO 8601 date string`);
    return undefined;
  };
  const firstDate = date('firstDate', 'startDate');
  const lastDate = date('lastDate', 'endDate');
  if (firstDate !== undefined && lastDate !== undefined && firstDate > lastDate)
    problems.push('firstDate must not be after lastDate');
  const given = body['options'];
  const options = (typeof given === 'object' && given !== null ? given : {}) as Readonly<Record<string, unknown>>;
  if (given === undefined || given === null) problems.push('options should not be null or undefined');
  const strings = (name: string, isValid: (text: string) => boolean, required: boolean): readonly string[] => {
    const value = options[name];
    if (value === undefined && !required) return [];
    if (!Array.isArray(value) || value.length === 0)
      problems.push(`options.${name} must be an array with at least one element`);
    else if (!value.every((one) => typeof one === 'string' && isValid(one)))
      problems.push(`each value in options.${name} must be valid`);
    else return value as readonly string[];
    return [];
  };
  const isEvm = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text);
  const ofEvm = type === 'TRANSACTION_EXPORT_EVM';
  const addresses = strings('addresses', ofEvm ? isEvm : (text) => addressBytes(text) !== null, ofEvm);
  const cChainEvmAddresses = strings('cChainEvmAddresses', isEvm, false);
  const includeChains = strings('includeChains', (text) => text !== '', true);
  if (!ofEvm && type !== undefined && addresses.length + cChainEvmAddresses.length === 0) {
    problems.push('options.addresses or options.cChainEvmAddresses must be given');
  }
  if (type === undefined || problems.length > 0) throw badRequest(...problems);
  return { type, firstDate, lastDate, addresses, cChainEvmAddresses, includeChains };
}
