/** Compute units of a source used in one day (UTC); kept in the state between runs. */
export interface DailyUsage {
  /** `2026-01-20` */
  readonly day: string;
  readonly used: number;
}
