/** Positions that are known to be missing (`firn.gap`): a source lacks them, or their record is in quarantine and was accepted. */
export interface KnownGap {
  readonly stream: string;
  readonly partition: string;
  readonly from: number;
  /** Below `from` where nothing is missing between two positions that do not follow each other. */
  readonly to: number;
}

/** What is missing, in words. @param text of a position */
export const gapText = ({ from, to }: Pick<KnownGap, 'from' | 'to'>, text: (position: number) => string = String) =>
  to < from ? `something before ${text(from)}` : `${text(from)} to ${text(to)}`;
