import type { Request, Response } from '../../core/request.ts';

/**
 * Sends a request of a stream to its source; limits, retries and redaction lie behind it.
 *
 * @param sent told of each HTTP request that goes out for it: with retries, and where calls do not go as one batch, there are several
 */
export type Fetch = (request: Request, sent?: () => void) => Promise<Response>;

/** The ways to the configured sources, by their names. */
export type Fetches = Readonly<Record<string, Fetch>>;
