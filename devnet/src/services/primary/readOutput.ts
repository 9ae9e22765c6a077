import { bareAddress } from '../../codec/primaryAddress.ts';
import type { JsonOutput, JsonOutputValue } from './platformBody.ts';
import type { Output, OutputKind } from './primaryTypes.ts';

/** An output as the node's JSON shows it; an output inside a time lock carries the lock as `stakeableLocktime`. */
export function readOutput({ assetID, output }: JsonOutput): Output {
  if (output.output === undefined) return readValue(assetID, output, 'transfer');
  return { ...readValue(assetID, output.output, 'transfer'), stakeableLocktime: BigInt(output.locktime ?? 0) };
}

/** The bare value of an output of a known kind. */
export function readValue(assetId: string, value: JsonOutputValue, kind: OutputKind): Output {
  return {
    assetId,
    kind,
    amount: BigInt(value.amount ?? 0),
    addresses: (value.addresses ?? []).map(bareAddress),
    threshold: value.threshold ?? 0,
    locktime: BigInt(value.locktime ?? 0),
    stakeableLocktime: 0n,
    groupId: value.groupID ?? 0,
    payload: value.payload ?? '',
  };
}
