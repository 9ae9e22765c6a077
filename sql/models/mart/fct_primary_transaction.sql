/*
description: One row a transaction of the P-Chain or the X-Chain, or an import or export of the C-Chain, with what it takes and gives.
traps: >-
  what a P-Chain proposal asks for happens only where outcome is committed. amount_burned counts the fee, and on the P-Chain what goes to
  the balance of L1 validators, which l1_balance tells. Operations of the X-Chain do not repeat the amounts they spend: all totals are of
  AVAX only, and NULL where it is not known (mart.dim_asset). They count the change, also that of an export, which stays where it was: what
  crossed from one chain to another are the UTXOs of mart.fct_utxo whose origin is exported. An AdvanceTimeTx that was aborted and proposed
  again, the same, has a row for each of its blocks.
kept: table
changed:
  tx_id: SELECT tx_id FROM staging.primary_change WHERE in_new_loads(_load_id)
  block_height: SELECT unnest([block_height, block_height + 1]) AS block_height FROM raw.node_containers_p_transactions WHERE in_transactions(tx_id)
files: { chain: chain_id, time: block_time, order: [chain_id, block_height, position] }
columns:
  chain_id: Blockchain id of P or X, EVM chain id of C.
  blockchain: P, X or C.
  tx_id: Transaction id (cb58).
  tx_type: ImportTx, BaseTx, AddPermissionlessDelegatorTx, ...
  block_height: Height of the block; NULL on the X-Chain before it was linear.
  position: Place among the transactions of the container, from 0.
  block_time: Time of the block [UTC].
  outcome: accepted; of a proposal committed, aborted, or pending.
  source_chain: 'Of an import: where from, P, X or C.'
  destination_chain: 'Of an export: where to, P, X or C.'
  subnet_id: Subnet it is about (cb58).
  node_id: NodeID of the validator it is about.
  staking_tx_id: 'Of a reward: the staking transaction that ends (cb58).'
  input_count: UTXOs spent and EVM accounts debited.
  output_count: UTXOs made and EVM accounts credited, staked ones included.
  amount_in: AVAX taken [nAVAX].
  amount_out: AVAX given, staked included [nAVAX].
  amount_staked: AVAX staked [nAVAX].
  amount_burned: AVAX taken and not given [nAVAX].
  amount_in_avax: The same in whole coins [AVAX].
  amount_out_avax: The same in whole coins [AVAX].
  amount_staked_avax: The same in whole coins [AVAX].
  amount_burned_avax: The same in whole coins [AVAX].
  l1_balance: Of amount_burned, what L1 validators pay their fees from [nAVAX].
  memo: Memo, hex; NULL where there is none.
*/
WITH
  avax AS (SELECT asset_id FROM mart.dim_asset WHERE is_avax),
  -- One row: what a sum of nothing is, NULL where AVAX is not known.
  nothing AS (SELECT min(CAST(0 AS DECIMAL(38,0))) AS amount FROM avax),
  taken AS (
    SELECT i.blockchain, i.tx_id, count(*) AS inputs, wide_sum(CASE WHEN a.asset_id IS NOT NULL THEN i.amount END) AS amount
    FROM staging.primary_input AS i
    LEFT JOIN avax AS a ON a.asset_id = i.asset_id
    GROUP BY i.blockchain, i.tx_id
  ),
  given AS (
    SELECT
      o.blockchain,
      o.tx_id,
      count(*) AS outputs,
      wide_sum(CASE WHEN a.asset_id IS NOT NULL THEN o.amount END) AS amount,
      wide_sum(CASE WHEN a.asset_id IS NOT NULL AND o.destination = 'stake' THEN o.amount END) AS staked
    FROM staging.primary_output AS o
    LEFT JOIN avax AS a ON a.asset_id = o.asset_id
    GROUP BY o.blockchain, o.tx_id
  ),
  l1 AS (
    SELECT tx_id, wide_sum(balance) AS balance FROM raw.node_containers_p_l1_validators GROUP BY tx_id
  )
SELECT
  coalesce(c.chain_id, t.blockchain) AS chain_id,
  t.blockchain,
  t.tx_id,
  t.tx_type,
  t.block_height,
  t."position",
  t.block_time,
  t.outcome,
  coalesce(f.alias, t.source_chain_id) AS source_chain,
  coalesce(d.alias, t.destination_chain_id) AS destination_chain,
  t.subnet_id,
  t.node_id,
  t.staking_tx_id,
  coalesce(i.inputs, 0) AS input_count,
  coalesce(o.outputs, 0) AS output_count,
  coalesce(i.amount, n.amount) AS amount_in,
  coalesce(o.amount, n.amount) AS amount_out,
  coalesce(o.staked, n.amount) AS amount_staked,
  CAST(coalesce(i.amount, n.amount) - coalesce(o.amount, n.amount) AS DECIMAL(38,0)) AS amount_burned,
  navax_in_avax(coalesce(i.amount, n.amount)) AS amount_in_avax,
  navax_in_avax(coalesce(o.amount, n.amount)) AS amount_out_avax,
  navax_in_avax(coalesce(o.staked, n.amount)) AS amount_staked_avax,
  navax_in_avax(CAST(coalesce(i.amount, n.amount) - coalesce(o.amount, n.amount) AS DECIMAL(38,0))) AS amount_burned_avax,
  coalesce(l.balance, 0) AS l1_balance,
  t.memo
FROM staging.primary_transaction AS t
CROSS JOIN nothing AS n
LEFT JOIN taken AS i ON i.blockchain = t.blockchain AND i.tx_id = t.tx_id
LEFT JOIN given AS o ON o.blockchain = t.blockchain AND o.tx_id = t.tx_id
LEFT JOIN l1 AS l ON l.tx_id = CASE WHEN t.blockchain = 'P' THEN t.tx_id END
LEFT JOIN firn.chain AS c ON c.alias = t.blockchain
LEFT JOIN firn.chain AS f ON f.blockchain_id = t.source_chain_id
LEFT JOIN firn.chain AS d ON d.blockchain_id = t.destination_chain_id
