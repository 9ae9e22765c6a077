import { literal } from '../core/sqlText.ts';
import { type Interval, timestampOf } from './bucketTime.ts';

interface Bucket {
  readonly chain: string;
  readonly interval: Interval;
  /** Unix seconds. */
  readonly from: number;
  readonly until: number;
}

const moved = (name: string) => `CAST(${name} AS VARCHAR) AS ${name}`;

const blocks = (measure: string) => (where: string) =>
  `SELECT "number", block_time, ${measure}, seconds_since_previous, hash FROM mart.fct_block
WHERE "number" > 0 AND ${where} ORDER BY ${measure} DESC, "number" LIMIT 10`;

const rates = (measure: string) => (where: string) =>
  `SELECT "number", block_time, ${measure}, seconds_since_previous, quotient(${measure}, seconds_since_previous) AS rate
FROM mart.fct_block WHERE "number" > 0 AND seconds_since_previous > 0 AND ${where}
ORDER BY whole_quotient(${measure} * CAST('1000000000000000000' AS DECIMAL(38,0)), seconds_since_previous) DESC, "number" LIMIT 10`;

const receipts = (order: string) => (where: string) =>
  `SELECT "number", tx_index, hash, gas_used, ${moved('effective_gas_price')},
  CAST(CAST(gas_used AS DECIMAL(38,0)) * effective_gas_price AS VARCHAR) AS fee
FROM staging.evm_receipt WHERE ${where} ORDER BY ${order} DESC, "number", tx_index LIMIT 10`;

const addresses = (condition: string) => (where: string) =>
  `SELECT address, count(*) AS hours, bool_or(tx_from) AS tx_from, bool_or(tx_to) AS tx_to, bool_or(token_from) AS token_from,
  bool_or(token_to) AS token_to, bool_or(multi_token_from) AS multi_token_from, bool_or(multi_token_to) AS multi_token_to
FROM mart.address_hour WHERE ${where.replaceAll('block_time', '"hour"')} AND (${condition})
GROUP BY address ORDER BY hours DESC, address LIMIT 10`;

const creations = (where: string) =>
  `SELECT creator, count(*) AS contracts, count(*) FILTER (WHERE reverted) AS reverted, min("number") AS first_block
FROM mart.fct_contract_creation WHERE by_trace AND ${where} GROUP BY creator ORDER BY contracts DESC, creator LIMIT 10`;

/** What makes up a number: a query for the rows that count most, by metric. `where` limits chain and time by `block_time`. */
const queries: Readonly<Record<string, (where: string) => string>> = {
  activeAddresses: addresses('tx_from OR tx_to OR token_from OR token_to OR multi_token_from OR multi_token_to'),
  activeSenders: addresses('tx_from OR token_from OR multi_token_from'),
  cumulativeTxCount: blocks('tx_count'),
  cumulativeAddresses: (where) =>
    `SELECT address, least(by_transaction_or_token, by_multi_token) AS first_seen FROM mart.address_first_seen
WHERE ${where.replaceAll('block_time', 'least(by_transaction_or_token, by_multi_token)')} ORDER BY first_seen, address LIMIT 10`,
  cumulativeContracts: creations,
  cumulativeDeployers: (where) =>
    `SELECT creator, by_any AS first_seen FROM mart.deployer_first_seen
WHERE ${where.replaceAll('block_time', 'by_any')} ORDER BY by_any, creator LIMIT 10`,
  contracts: creations,
  deployers: creations,
  gasUsed: blocks('gas_used'),
  txCount: blocks('tx_count'),
  avgGps: blocks('gas_used'),
  maxGps: rates('gas_used'),
  avgTps: blocks('tx_count'),
  maxTps: rates('tx_count'),
  avgGasPrice: receipts('effective_gas_price'),
  maxGasPrice: receipts('effective_gas_price'),
  feesPaid: receipts('CAST(gas_used AS DECIMAL(38,0)) * effective_gas_price'),
};

/** SQL for the rows that count most in a bucket of a metric; undefined for what is no metric. */
export function contributorsSql(metric: string, { chain, from, until }: Bucket): string | undefined {
  const between = `block_time >= TIMESTAMP '${timestampOf(from)}' AND block_time < TIMESTAMP '${timestampOf(until)}'`;
  return queries[metric]?.(`chain_id = ${literal(chain)} AND ${between}`);
}
