import type { Ledger } from '../../types.ts';

/** A validator or delegator as platform.getCurrentValidators showed it. */
export interface SeenStaking {
  readonly txID: string;
  readonly nodeID: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly weight: string;
  readonly potentialReward?: string;
  readonly delegationFee?: string;
  readonly validationRewardOwner?: { readonly addresses: readonly string[] };
  readonly delegationRewardOwner?: { readonly addresses: readonly string[] };
  readonly signer?: { readonly publicKey?: string; readonly proofOfPossession?: string };
  readonly uptime?: string;
  readonly delegators?: readonly SeenStaking[] | null;
}

/** Facts that no block holds, from answers recorded along the way. */
export interface SnapshotFacts {
  /** Of every staking seen, by its transaction. */
  readonly potentialReward: ReadonlyMap<string, bigint>;
  /** Validators of the Primary Network, by their transaction, as first seen. */
  readonly validators: ReadonlyMap<string, SeenStaking>;
  /** Percent of time a node was up, with the moment (milliseconds) it was asked, ascending. */
  readonly uptimes: ReadonlyMap<string, readonly (readonly [number, number])[]>;
  /** Total supply with the moment it was asked, ascending. */
  readonly supplies: readonly (readonly [number, bigint])[];
  /** Continuous fee of an L1 validator in nAVAX a second. */
  readonly validatorFee: bigint;
  /** Seconds: from then on staking begins with its block. */
  readonly durangoTime: number;
}

export function readSnapshotFacts(ledger: Ledger): SnapshotFacts {
  const potentialReward = new Map<string, bigint>();
  const validators = new Map<string, SeenStaking>();
  const uptimes = new Map<string, (readonly [number, number])[]>();
  const supplies: (readonly [number, bigint])[] = [];
  let validatorFee: bigint | undefined;
  let durango: string | undefined = (ledger.manifest as { forkTimes?: { durangoTime?: string } }).forkTimes
    ?.durangoTime;

  function sawStaking(staking: SeenStaking): void {
    if (staking.potentialReward !== undefined) potentialReward.set(staking.txID, BigInt(staking.potentialReward));
    for (const delegator of staking.delegators ?? []) sawStaking(delegator);
  }

  for (const answer of ledger.snapshots.toSorted((a, b) => a.takenAt - b.takenAt)) {
    const params = (answer.params ?? {}) as { readonly subnetID?: string };
    const result =
      answer.status === 200 ? (JSON.parse(answer.body) as { result?: Record<string, unknown> }).result : undefined;
    if (result === undefined) continue;
    if (answer.method === 'platform.getCurrentValidators' && params.subnetID === undefined) {
      for (const validator of (result['validators'] ?? []) as readonly SeenStaking[]) {
        if (validator.txID === undefined) continue;
        sawStaking(validator);
        if (!validators.has(validator.txID)) validators.set(validator.txID, validator);
        const seen = uptimes.get(validator.txID) ?? [];
        uptimes.set(validator.txID, seen);
        seen.push([answer.takenAt, Number(validator.uptime ?? 0)]);
      }
    } else if (answer.method === 'platform.getCurrentSupply' && params.subnetID === undefined) {
      supplies.push([answer.takenAt, BigInt(String(result['supply']))]);
    } else if (answer.method === 'platform.getValidatorFeeState') {
      validatorFee ??= BigInt(String(result['price']));
    } else if (answer.method === 'info.upgrades') {
      durango ??= String(result['durangoTime']);
    }
  }
  return {
    potentialReward,
    validators,
    uptimes,
    supplies,
    validatorFee: validatorFee ?? 1n,
    durangoTime: durango === undefined ? 0 : Date.parse(durango) / 1000,
  };
}
