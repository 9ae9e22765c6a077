/** A transaction of the data service that its schema takes, with more members behind its own. */
export const transaction = (n: number, more = '') =>
  `{"blockNumber":"${n}","blockTimestamp":${1_770_000_000 + n},"blockHash":"0xab","chainId":"43112","blockIndex":0,` +
  `"txHash":"0x${n.toString(16).padStart(64, '0')}","txStatus":"1","txType":2,"gasLimit":"1","gasUsed":"1","gasPrice":"1",` +
  `"nonce":"1","from":{"address":"0x01"},"value":"0"${more}}`;

/** The same with another value in place of one that it has. */
export const transactionWith = (n: number, member: string, value: string) =>
  transaction(n).replace(new RegExp(`"${member}":("[^"]*"|\\d+|\\{[^}]*\\})`), () => `"${member}":${value}`);
