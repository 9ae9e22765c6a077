/*
description: Versions that the node ran, and since when.
columns:
  version: Version of the node.
  since: When it was first seen [UTC].
  is_current: Whether the node still runs it.
  evm_version: Version of its EVM.
*/
SELECT
  version,
  _valid_from AS since,
  _valid_to IS NULL AS is_current,
  json_extract_string(vm_versions, '$.evm') AS evm_version
FROM raw.info_node_versions
ORDER BY since
