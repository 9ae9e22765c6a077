import type { ServiceRequest, ServiceResponse } from '../types.ts';
import { listMetric } from './metrics/listMetric.ts';
import { getMetricChain, listMetricChains } from './metrics/listMetricChains.ts';
import type { ServiceContext } from './serviceContext.ts';

/** Answers one endpoint; `path` holds the values of the `{names}` in its pattern. Refuses by throwing a Problem. */
type Endpoint = (context: ServiceContext, request: ServiceRequest, path: never) => ServiceResponse;

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly pattern: string;
  readonly endpoint: Endpoint;
}

const get = (pattern: string, endpoint: Endpoint): Route => ({ method: 'GET', pattern, endpoint });

/** Every endpoint of the two services. */
export const routes: readonly Route[] = [
  get('/v2/chains', listMetricChains),
  get('/v2/chains/{chainId}', getMetricChain),
  get('/v2/chains/{chainId}/metrics/{metric}', listMetric),
];
