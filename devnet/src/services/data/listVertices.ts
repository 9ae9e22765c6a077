import { badRequest } from '../../problem.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { integer, paging, sortOrder } from '../http/parameters.ts';
import { queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import { generatedVertices } from '../primary/generatedVertices.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { primaryPath } from './primaryPath.ts';
import { generatedHeader } from './renderAddress.ts';

const readQuery = queryOf({ ...paging(10, 100), vertexHeight: integer({ min: 0 }, undefined), sortOrder: sortOrder() });

/** GET …/vertices:listByHeight: the X-Chain's vertices at a height. They are generated, and the answer's header says so. */
export function listVertices(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly network: string; readonly blockchainId: string },
): ServiceResponse {
  const query = readQuery(context, request);
  const { isMainnet, chainInfo } = primaryPath(context, path, 'X');
  const { vertexHeight } = query;
  if (vertexHeight === undefined)
    throw badRequest('vertexHeight must not be less than 0', 'vertexHeight must be an integer number');
  return servePage(context, request, {
    ...query,
    member: 'vertices',
    rows: () => {
      const vertices = isMainnet ? [] : (generatedVertices(context.ledger)[vertexHeight] ?? []);
      return query.sortOrder === 'asc' ? vertices : vertices.toReversed();
    },
    render: (vertex) => ({ ...vertex }),
    extra: { chainInfo },
    headers: { [generatedHeader]: 'vertices' },
  });
}
