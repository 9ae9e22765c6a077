/*
description: "One row: how far the P-Chain's containers go."
kept: view
columns:
  height: Height of the newest P-Chain block held.
  block_time: Its time [UTC].
  first_time: Time of the first P-Chain block held [UTC].
*/
SELECT max(height) AS height, max(block_time) AS block_time, min(block_time) AS first_time
FROM staging.primary_platform_block
