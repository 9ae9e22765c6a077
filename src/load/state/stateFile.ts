import { join } from 'node:path';

/** The database of a warehouse's state. */
export const stateFile = (warehouse: string): string => join(warehouse, '.state', 'firn.duckdb');
