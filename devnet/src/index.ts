export { type FaultRates, faultKinds, parseFaults } from './faults.ts';
export { parseSpeed } from './head.ts';
export { type NodePart, nodeParts } from './node/nodeParts.ts';
export type { Gaps } from './node/nodeSettings.ts';
export { readLedger } from './readLedger.ts';
export { createServices } from './services/createServices.ts';
export { zipOf } from './services/data/zipOf.ts';
export {
  parseServedFault,
  type ServedFault,
  type ServedFaultName,
  servedFaultNames,
} from './services/metrics/servedFaults.ts';
export { variantsOf } from './services/metrics/variants.ts';
export { findRoute, routes } from './services/routes.ts';
export { type Devnet, type DevnetOptions, startDevnet } from './startDevnet.ts';
export type * from './types.ts';
