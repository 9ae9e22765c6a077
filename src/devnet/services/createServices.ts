import type { Faults } from '../faults.ts';
import type { Head, Ledger, ServiceRequest, ServiceResponse } from '../types.ts';

export interface ServicesOptions {
  /** Decides which pages go wrong. */
  readonly faults: Faults;
  /** Lets the served metrics lie where it says so. */
  readonly servedFaults: boolean;
}

/** The metrics service and the data service over one recorded network; null where a request is for neither. */
export function createServices(
  _ledger: Ledger,
  _head: Head,
  _options: ServicesOptions,
): (request: ServiceRequest) => ServiceResponse | null {
  return () => null;
}
