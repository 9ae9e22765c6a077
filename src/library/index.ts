// What `firn-etl` exports to programs, and to extensions with their own streams.
export { z } from 'zod';
export { data, weights } from '../../pipelines/data-api/source.ts';
export { metrics } from '../../pipelines/metrics-api/source.ts';
export { node } from '../../pipelines/node/source.ts';
export * from '../index.ts';
export { openWarehouse, type PublishedWarehouse } from './openWarehouse.ts';
export { type RunOptions, type RunReport, run } from './run.ts';
