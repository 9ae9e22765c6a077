import { expect, test } from 'vitest';
import { notReady } from '../../../pipelines/node/notReady.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { answer } from '../../../src/run/sources/drive.ts';
import { down, healthy, late, noChain, noPath, ready, type Told, toldNode, unhealthy } from './toldNode.ts';

const busy = new FirnError('unavailable', 'not now', { context: { status: 503 } });
const shrank = new FirnError('source_shrank', 'less than was read');
const [c, index] = ['/ext/bc/C/rpc', '/ext/index/C/block'];
const node: Told = { chain: [ready], p: ready, whole: [healthy] };
const absent = { code: 'not_offered', context: { reason: 'absent', chain: 'C' } };
const waits = (chain: string) => ({ code: 'unavailable', context: { reason: 'bootstrapping', chain } });

test.each<[string, string, FirnError, Partial<Told>, object | undefined]>([
  ['a path that a ready node lacks', c, noPath, {}, undefined],
  ['a chain that bootstraps', c, noPath, { chain: [late], whole: [unhealthy] }, waits('C')],
  ['a chain that a healthy node does not run', c, noPath, { chain: [late] }, absent],
  [
    'a chain that is refused for now by one of two nodes, of which another is healthy',
    c,
    busy,
    { chain: [late] },
    waits('C'),
  ],
  ['a chain that a ready node does not know', c, noPath, { chain: [noChain] }, absent],
  ['a chain that a node does not know yet', c, noPath, { chain: [noChain], p: late, whole: [unhealthy] }, waits('P')],
  ['a chain that one of two nodes has', c, noPath, { chain: [ready, late] }, waits('C')],
  ['an index that no node has', index, noPath, { other: [noPath] }, undefined],
  ['an index that another node has', index, noPath, { other: [noPath, {}] }, { context: { reason: 'mixed' } }],
  [
    'an index that another node has, and is empty',
    index,
    noPath,
    { other: [noPath, noChain] },
    { context: { reason: 'mixed' } },
  ],
  ['an index that a ready node refuses for now', index, busy, { other: [{}] }, undefined],
  ['a chain of which a node has less than was read', c, shrank, { chain: [late], whole: [unhealthy] }, waits('C')],
  ['what says nothing of a chain', c, down, { chain: [late] }, undefined],
  ['a path of no chain', '/ext/info', noPath, { chain: [late] }, undefined],
])('why a path failed: %s', async (_, path, error, told, wanted) => {
  const said = await answer(notReady(path, error, 'http://node'), toldNode({ ...node, ...told }));
  if (wanted === undefined) expect(said).toBeUndefined();
  else expect(said).toMatchObject(wanted);
});
