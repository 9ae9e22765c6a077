import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { declaredChains } from '../../../src/publish/verify/verifyContinuity.ts';

test('the tables that hold chains are those that streams declare', () => {
  const hash = { id: 'hash', parent: 'parent_hash' };
  const block = { id: 'block_id', parent: 'parent_id' };
  const inIndex = { by: 'index_name', index: 'index' };
  expect(declaredChains(catalogue)).toEqual([
    { table: 'raw.node_containers', position: 'index', link: { id: 'id', parent: 'parent_id' }, ...inIndex },
    { table: 'raw.node_containers_c_blocks', position: 'number', link: hash, ...inIndex },
    { table: 'raw.node_containers_p_blocks', position: 'height', link: block, ...inIndex },
    { table: 'raw.node_containers_x_blocks', position: 'height', link: block, ...inIndex },
    { table: 'raw.node_evm_blocks', position: 'number', link: hash, by: 'chain_id' },
    { table: 'raw.node_platform_blocks', position: 'height', link: block },
  ]);
});
