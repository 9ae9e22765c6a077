/** Ways in which a history may break the rules, by the audit that is about it. */
const ofContainers = [
  'assert_container_indexes_without_gap',
  'assert_inputs_equal_their_utxos',
  'assert_node_containers_link',
  'assert_node_primary_heights_follow',
  'assert_primary_transactions_make_no_avax',
  'assert_utxos_unique',
] as const;
const ofNodes = [
  'assert_data_primary_transactions_equal_containers',
  'assert_data_utxos_equal_utxos',
  'assert_balances_equal_utxos',
  'assert_node_rewards_go_to_their_owners',
  'assert_supply_grows_by_rewards',
  'assert_validators_equal_staking',
] as const;
export type FlawKind = (typeof ofContainers | typeof ofNodes)[number];
export const flawKinds: readonly FlawKind[] = [...ofContainers, ...ofNodes];

/** Whether containers alone show it. */
export const isOfContainers = (kind: FlawKind) => (ofContainers as readonly string[]).includes(kind);

/** Breaks a rule once, or none. */
export class Flaw {
  readonly #kind: FlawKind | null;
  #happened = false;

  constructor(kind: FlawKind | null) {
    this.#kind = kind;
  }

  /** Whether no rule was to be broken, or it was. */
  get isKept(): boolean {
    // What the data service says is none of the history's.
    return this.#kind === null || this.#happened || this.#kind.startsWith('assert_data_');
  }

  /** Whether a rule is to be broken now, where it can be: once. */
  breaks(kind: FlawKind, can = true): boolean {
    if (kind !== this.#kind || this.#happened || !can) return false;
    this.#happened = true;
    return true;
  }
}
