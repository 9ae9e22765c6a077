/** Subnet id of the primary network, which is also the blockchain id of the P-Chain: all zero. */
export const primaryNetwork: Uint8Array = new Uint8Array(32);
