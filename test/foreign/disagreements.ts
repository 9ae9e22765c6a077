/** What the embedded network and others say differently, and why both stay as they are. docs/trust.md lists it; tests fail on what is missing here, and on what no longer is so. */
export type Disagreements = Readonly<Record<string, string>>;

export const untyped: Disagreements = {
  'l1ValidatorDetails.blsCredentials.publicKey':
    'the specification types no member of l1ValidatorDetails[].blsCredentials',
};
export const newer: Disagreements = {
  blockTimestampMilliseconds: 'x',
  blockMinDelayExcess: 'x',
  utxoBytes: 'x',
};
