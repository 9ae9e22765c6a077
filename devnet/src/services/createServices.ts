import { Problem, problem } from '../problem.ts';
import type { Head, Ledger, ServiceRequest, ServiceResponse } from '../types.ts';
import { findRoute } from './routes.ts';
import { createServiceContext } from './serviceContext.ts';
import { completeOptions, type ServiceOptions } from './serviceOptions.ts';

/**
 * The data service and the metrics service of the embedded network, answered straight from the ledger: nothing here is shared with the
 * code that reads or recomputes them. The ledger is the network `testnet` (alias `fuji`).
 * The returned function answers a request as of the head's present moment, or gives null where the path belongs to someone else.
 */
export function createServices(
  ledger: Ledger,
  head: Head,
  options: ServiceOptions = {},
): (request: ServiceRequest) => ServiceResponse | null {
  const context = createServiceContext(ledger, head, completeOptions(options));
  return (request) => {
    if (!/^\/(v1|v2|exports)\//.test(request.path)) return null;
    const found = findRoute(request.method, request.path);
    if (found === null) return problem(404, `Cannot ${request.method} ${request.path}`);
    try {
      return found.route.endpoint(context, request, found.params as never);
    } catch (error) {
      if (error instanceof Problem) return error.response;
      throw error;
    }
  };
}
