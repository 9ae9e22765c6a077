/** `blockTimestamp` -> `block_timestamp`, `nodeIDs` -> `node_ids`, `baseFeePerGas` -> `base_fee_per_gas`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z](?:[a-rt-z]|s[a-z]))/g, '$1_$2')
    .toLowerCase();
}
