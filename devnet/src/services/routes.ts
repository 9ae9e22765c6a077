import { createRouter } from '../router.ts';
import type { ServiceRequest, ServiceResponse } from '../types.ts';
import { aggregateSignatures, getAggregatedSignatures } from './data/aggregateSignatures.ts';
import {
  listAddressTransactions,
  listErc721Transfers,
  listInternals,
  listTokenTransfers,
} from './data/listAddressTransactions.ts';
import { getChain, listChains } from './data/listChains.ts';
import { listCycles } from './data/listCycles.ts';
import { listDelegators, listPendingRewards } from './data/listDelegators.ts';
import { listCollectibles, listNftTokens } from './data/listNfts.ts';
import { getPrimaryTransaction, listPrimaryTransactions, listStaking } from './data/listPrimaryTransactions.ts';
import { getTransaction, listTransactions } from './data/listTransactions.ts';
import { getUtxos, postUtxos } from './data/listUtxos.ts';
import { getValidator, listValidators } from './data/listValidators.ts';
import { listVertices } from './data/listVertices.ts';
import { downloadExport, getOperation, startExport } from './data/operations.ts';
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
const post = (pattern: string, endpoint: Endpoint): Route => ({ method: 'POST', pattern, endpoint });
const primary = '/v1/networks/{network}/blockchains/{blockchainId}';

/** Every endpoint of the two services. */
export const routes: readonly Route[] = [
  get('/v1/chains', listChains),
  get('/v1/chains/{chainId}', getChain),
  get('/v1/chains/{chainId}/transactions', listTransactions),
  get('/v1/chains/{chainId}/transactions/{txHash}', getTransaction),
  get('/v1/chains/{chainId}/addresses/{address}/transactions', listAddressTransactions),
  get('/v1/chains/{chainId}/addresses/{address}/transactions:listErc721', listErc721Transfers),
  get('/v1/chains/{chainId}/addresses/{address}/transactions:listInternals', listInternals),
  get('/v1/chains/{chainId}/tokens/{address}/transfers', listTokenTransfers),
  get('/v1/chains/{chainId}/addresses/{address}/balances:listCollectibles', listCollectibles),
  get('/v1/chains/{chainId}/nfts/collections/{address}/tokens', listNftTokens),
  post(`${primary}/utxos`, postUtxos),
  get(`${primary}/utxos`, getUtxos),
  get(`${primary}/transactions`, listPrimaryTransactions),
  get(`${primary}/transactions/{txHash}`, getPrimaryTransaction),
  get(`${primary}/transactions:listStaking`, listStaking),
  get(`${primary}/vertices:listByHeight`, listVertices),
  get('/v1/networks/{network}/validators', listValidators),
  get('/v1/networks/{network}/validators/{nodeId}', getValidator),
  get('/v1/networks/{network}/validators/{nodeId}/cycles', listCycles),
  get('/v1/networks/{network}/delegators', listDelegators),
  get('/v1/networks/{network}/rewards:listPending', listPendingRewards),
  post('/v1/operations/transactions:export', startExport),
  get('/v1/operations/{operationId}', getOperation),
  get('/exports/{file}', downloadExport),
  post('/v1/signatureAggregator/{network}/aggregateSignatures', aggregateSignatures),
  get('/v1/signatureAggregator/{network}/aggregateSignatures/{txHash}', getAggregatedSignatures),
  get('/v2/chains', listMetricChains),
  get('/v2/chains/{chainId}', getMetricChain),
  get('/v2/chains/{chainId}/metrics/{metric}', listMetric),
];

export const findRoute = createRouter(routes);
