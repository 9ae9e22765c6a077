/** 32 zero bytes as cb58: what an absent id means to a node, the P-Chain's own id, and that of the Primary Network's subnet. */
export const emptyId = '11111111111111111111111111111111LpoYY';
