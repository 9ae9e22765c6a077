/** Records of one partition in quarantine for one reason. Times are milliseconds since the epoch. */
export interface QuarantineGroup {
  readonly stream: string;
  readonly partition: string;
  readonly reason: string;
  readonly records: number;
  /** How often they came, all together. */
  readonly times: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** One of them, cut where it is long. */
  readonly example: string;
}

/** A relation that readers see in its last good version, or not at all where there is none. */
export interface HeldBack {
  readonly relation: string;
  /** The audit that found rows, or the model that cannot be built. */
  readonly audit: string;
  readonly since: number;
  readonly reason: string;
}

/** What needs somebody's attention for as long as it lasts, as the state has it, published or not. */
export interface Unresolved {
  /** Records that were neither read later nor accepted. */
  readonly records: number;
  readonly accepted: number;
  readonly streams: readonly { readonly stream: string; readonly records: number }[];
  /** The largest groups, 200 at most. */
  readonly groups: readonly QuarantineGroup[];
  readonly heldBack: readonly HeldBack[];
}
