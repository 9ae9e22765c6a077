/** A server's wish for no request until a moment, and when it said so; both in milliseconds since the epoch. */
export interface AskedPause {
  readonly saidAt: number;
  readonly until: number;
}
