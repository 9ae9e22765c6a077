import { hostname } from 'node:os';

/** By what the ledger knows this process: its machine and its number. */
export const thisProcess = (): string => `${hostname()} ${process.pid}`;
