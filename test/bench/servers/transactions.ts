import { hash } from 'node:crypto';
import type { CreateServer } from './server.ts';

const pageSize = 100;
const transactionsPerBlock = 4;
const chains = ['43114', '1000001', '1000002', '1000003'];
/** A service of four chains, or of four addresses of one chain, each with a quarter of the rows. */
const lists = 4;

const sha256 = (text: string) => `0x${hash('sha256', text)}`;
const addresses = Array.from({ length: 5000 }, (_, i) => sha256(`address ${i}`).slice(0, 42));
const address = (n: number) => addresses[n % addresses.length];
/** The largest amount there is, as an approval without end has it: 78 digits. */
const most = 2n ** 256n - 1n;

/** A native transaction as the data service gives it: 23 columns once flattened. Joined by hand: the server must not be the slow part. */
function transaction(list: number, n: number): string {
  const block = Math.floor(n / transactionsPerBlock);
  return (
    `{"blockNumber":"${block}","blockTimestamp":${1_700_000_000 + block},"blockHash":"${sha256(`${list} block ${block}`)}","chainId":"${chains[list]}",` +
    `"blockIndex":${n % transactionsPerBlock},"txHash":"${sha256(`${list} ${n}`)}","txStatus":"1","txType":2,"gasLimit":"120000","gasUsed":"${50_000 + ((n * 7919) % 60_000)}",` +
    `"gasPrice":"${25_000_000_000 + ((n * 31) % 1_000_000)}","nonce":"${n % 1000}","from":{"name":"Token","symbol":"TOK","decimals":18,"address":"${address(n)}"},` +
    `"to":{"address":"${address(n * 3)}"},"method":{"callType":"CONTRACT_CALL","methodHash":"0xa9059cbb",` +
    `"methodName":"transfer(address,uint256)"},"value":"${n}000000000000000"}`
  );
}

const token = (kind: string, more: string) =>
  `{"address":"${address(kind.length)}","name":"A token","symbol":"TOK","ercType":"${kind}",${more}}`;
const erc20 = token('ERC-20', '"decimals":18');
const party = (n: number) => `{"address":"${address(n)}"}`;

/** A transaction of an address with its children: two transfers of tokens, one call, and every fifth time an NFT. */
function withChildren(n: number): string {
  const transfer = (i: number) =>
    `{"from":${party(n + i)},"to":${party(n * 5 + i)},"logIndex":${i},"value":"${(n + i) % 4 === 0 ? most - BigInt(n) : `${n}000000000000000000`}","erc20Token":${erc20}}`;
  const nft =
    n % 5 === 0
      ? `"erc721Transfers":[{"from":${party(n)},"to":${party(n * 7)},"logIndex":2,"erc721Token":${token('ERC-721', `"tokenId":"${n}","tokenUri":"ipfs://${n}"`)}}],`
      : '';
  return (
    `{"nativeTransaction":${transaction(0, n)},"erc20Transfers":[${transfer(0)},${transfer(1)}],${nft}` +
    `"internalTransactions":[{"from":${party(n)},"to":${party(n * 11)},"internalTxType":"CALL","value":"${n}0000000000","isReverted":false,"gasUsed":"21000","gasLimit":"90000"}]}`
  );
}

/** Latest transactions of four chains, newest first. */
export const transactions: CreateServer = (rows) => {
  const paths = chains.map((chain) => `/v1/chains/${chain}/transactions`);
  return {
    stored: { data_latest_transactions: rows },
    source: 'data',
    streams: { 'data/latest_transactions': { chainIds: chains, from: '0' } },
    paths,
    answer: pagesOf(paths, rows, (list, place) => transaction(list, rowsOf(rows, list) - 1 - place)),
  };
};

/** Transactions of four addresses with their children, oldest first. */
export const addressHistory: CreateServer = (rows) => {
  const wallets = addresses.slice(0, lists);
  const paths = wallets.map((wallet) => `/v1/chains/43114/addresses/${wallet}/transactions`);
  const name = 'data_address_transactions';
  const nfts = wallets.map((_, list) => Math.ceil(rowsOf(rows, list) / 5));
  return {
    stored: {
      [name]: rows,
      [`${name}_erc20_transfers`]: rows * 2,
      [`${name}_erc721_transfers`]: nfts.reduce((sum, count) => sum + count),
      [`${name}_internal_transactions`]: rows,
    },
    source: 'data',
    streams: { 'data/address_transactions': { chainIds: ['43114'], addresses: wallets } },
    paths,
    answer: pagesOf(paths, rows, (_, place) => withChildren(place)),
  };
};

/** Rows of one of the lists. */
const rowsOf = (rows: number, list: number) => Math.floor(rows / lists) + (list < rows % lists ? 1 : 0);

/** @param recordOf the record at a place of a list */
function pagesOf(paths: readonly string[], rows: number, recordOf: (list: number, place: number) => string) {
  return (url: string): string => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const list = paths.indexOf(pathname);
    const length = rowsOf(rows, list);
    const from = Number(searchParams.get('pageToken') ?? 0);
    const to = Math.min(length, from + pageSize);
    const page = Array.from({ length: to - from }, (_, i) => recordOf(list, from + i)).join(',');
    return `{"transactions":[${page}]${to < length ? `,"nextPageToken":"${to}"` : ''}}`;
  };
}
