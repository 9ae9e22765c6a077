import type { PageFaultRates } from './http/pageFaults.ts';
import type { ServedFault } from './metrics/servedFaults.ts';

/** How the embedded data and metrics services behave. Everything has a default: an honest service with the documented limits. */
export interface ServiceOptions {
  /** For page faults, generated values and page tokens. */
  readonly seed?: number;
  /** Wall clock in milliseconds, for the expiry of page tokens and downloads. */
  readonly clock?: () => number;
  /** How long a page token is valid. Default 24 hours. */
  readonly tokenLifetimeMs?: number;
  /** How often pages are wrong, by kind. Read again for every page, so they may change at any time. */
  readonly pageFaults?: PageFaultRates;
  /** Served metrics that are wrong on purpose. */
  readonly servedFaults?: readonly ServedFault[];
  /** Whether `startTimestamp` keeps a row at exactly that second. Default true. */
  readonly startInclusive?: boolean;
  /** Whether `endTimestamp` keeps a row at exactly that second. Default false. */
  readonly endInclusive?: boolean;
  /** Whether unknown parameters are ignored instead of answered with a 400. */
  readonly allowUnknownParameters?: boolean;
  /** Most addresses in one UTXO request (POST). */
  readonly maxAddresses?: number;
  /** A page of Primary Network transactions ends before its UTXOs exceed this number. */
  readonly utxosPerPage?: number;
  /** How often an export is polled before it is done. */
  readonly exportPolls?: number;
  /** Most rows of one export; more are cut at a day's end, with `nextDate`. */
  readonly exportRows?: number;
  readonly exportFormat?: 'csv' | 'gzip' | 'zip';
  /** How long a download URL is valid. */
  readonly exportLifetimeMs?: number;
  /** Origin of download URLs where it is another than the service's own. */
  readonly exportOrigin?: string;
  /** Every export fails with ErrInternal. */
  readonly exportFails?: boolean;
  /** Adds generated transactions of the pre-Cortina form to the X-Chain's list, before its first block. */
  readonly nonLinearTransactions?: boolean;
}

/** The options with every default filled in. */
export type CompleteServiceOptions = Required<Omit<ServiceOptions, 'exportOrigin'>> & {
  readonly exportOrigin: string | undefined;
};

const day = 24 * 3600 * 1000;

export function completeOptions(options: ServiceOptions): CompleteServiceOptions {
  return {
    seed: options.seed ?? 1,
    clock: options.clock ?? Date.now,
    tokenLifetimeMs: options.tokenLifetimeMs ?? day,
    pageFaults: options.pageFaults ?? {},
    servedFaults: options.servedFaults ?? [],
    startInclusive: options.startInclusive ?? true,
    endInclusive: options.endInclusive ?? false,
    allowUnknownParameters: options.allowUnknownParameters ?? false,
    maxAddresses: options.maxAddresses ?? 1024,
    utxosPerPage: options.utxosPerPage ?? 1000,
    exportPolls: options.exportPolls ?? 2,
    exportRows: options.exportRows ?? 10_000,
    exportFormat: options.exportFormat ?? 'csv',
    exportLifetimeMs: options.exportLifetimeMs ?? day,
    exportOrigin: options.exportOrigin,
    exportFails: options.exportFails ?? false,
    nonLinearTransactions: options.nonLinearTransactions ?? false,
  };
}
