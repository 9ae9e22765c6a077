import { expect, test } from 'vitest';
import { askReady } from '../../../pipelines/node/askReady.ts';
import { probe } from '../../../pipelines/node/probe.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { answer } from '../../../src/run/sources/drive.ts';
import { down, healthy, late, noChain, noPath, ready, toldNode, unhealthy } from './toldNode.ts';

test.each<[string, string | undefined, readonly unknown[], unknown, readonly unknown[]]>([
  ['is bootstrapped', 'ready', [ready], ready, [unhealthy]],
  ['is bootstrapped at one of two nodes', 'mixed', [late, ready], ready, [healthy, healthy]],
  ['bootstraps', 'late', [late], late, [unhealthy]],
  ['is not run by a node that is ready', 'never', [late], ready, [healthy]],
  ['bootstraps at a node beside one that is ready without it', 'late', [late, late], ready, [healthy, unhealthy]],
  ['is not run by a node that does not say whether it is ready', 'never', [late], ready, [noPath]],
  ['bootstraps at a node that does not say whether it is ready', 'late', [late], late, [noPath]],
  ['bootstraps at a node beside one that does not say it', 'late', [late, late], ready, [noPath, unhealthy]],
  ['is late at a node that tells of its health in other words', 'late', [late], ready, [{}]],
  ['is late at a node whose health is not known now', 'late', [late], ready, [down]],
  ['is not known', 'unknown', [noChain], ready, [healthy]],
  ['is asked of a node that is down', undefined, [down], down, [down]],
  ['is told of in other words', undefined, [{ isBootstrapped: 'yes' }], ready, [healthy]],
])('a chain that %s: %s', async (_, wanted, chain, p, whole) => {
  expect(await answer(askReady('C', chain.length), toldNode({ chain, p, whole }))).toBe(wanted);
});

test('what interrupts the question is no answer', async () => {
  const interrupted = new FirnError('interrupted', 'stopped');
  const asking = answer(askReady('C'), toldNode({ chain: [interrupted], p: ready, whole: [healthy] }));
  await expect(asking).rejects.toBe(interrupted);
});

test.each<[boolean | undefined, unknown, unknown]>([
  [true, ready, healthy],
  [false, late, unhealthy],
  [undefined, late, healthy],
  [undefined, noChain, healthy],
])('doctor hears %s of a chain of which a node says %j, and of itself %j', async (wanted, chain, whole) => {
  expect(
    await answer(
      (probe.ready as NonNullable<typeof probe.ready>).ask('C'),
      toldNode({ chain: [chain], p: ready, whole: [whole] }),
    ),
  ).toBe(wanted);
});
