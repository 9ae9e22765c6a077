/** Positions that are known to be missing (`firn.gap`): a source lacks them, or their record is in quarantine and was accepted. */
export interface KnownGap {
  readonly stream: string;
  readonly partition: string;
  readonly from: number;
  /** Below `from` where nothing is missing between two positions that do not follow each other. */
  readonly to: number;
}
