/** @module-tag long */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Devnet, startDevnet } from 'firn-devnet';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { catalogue } from '../../pipelines/index.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { demoConfig } from '../../src/cli/tasks/demoConfig.ts';
import type { Log } from '../../src/core/log.ts';
import { runPhases } from '../../src/run/phases/runPhases.ts';
import { phases } from '../../src/run/records/runReport.ts';
import { hasFailed } from '../../src/transform/audits/runAudits.ts';
import { placeState } from '../placeState.ts';
import { temporary } from '../temporaryFolders.ts';

const silent: Log = { debug() {}, warn() {} };

interface Whole {
  readonly pipelines: { readonly demo: { streams: Record<string, object> } };
}

/** The demo's streams, and others that two sources tell of; few served metrics, since no audit compares them. */
function everyStream(devnet: Devnet): Whole {
  const whole = parse(demoConfig(devnet)) as Whole;
  const { streams } = whole.pipelines.demo;
  const { addresses } = streams['data/utxos'] as { addresses: string[] };
  Object.assign(streams, {
    'node/platform_blocks': {},
    'node/platform_balances': { addresses },
    'node/avm_transactions': { budget: 20 },
    'metrics/chain_metrics': { ...streams['metrics/chain_metrics'], metrics: ['txCount'], timeIntervals: ['day'] },
  });
  return whole;
}

/** What tells of the P-Chain from two sides: few requests, so that every one may be far from the next. */
function platformStreams(devnet: Devnet): Whole {
  const whole = everyStream(devnet);
  const { demo } = whole.pipelines;
  const { addresses } = demo.streams['data/utxos'] as { addresses: string[] };
  demo.streams = {
    'node/containers': { indexes: ['P/block'] },
    'node/platform_validators': {},
    'node/platform_supply': {},
    'node/platform_blockchains': {},
    'node/platform_reward_utxos': {},
    'node/platform_balances': { addresses },
    'node/l1_validators': demo.streams['node/l1_validators'] ?? {},
    'data/primary_transactions': { ...demo.streams['data/primary_transactions'], blockchainIds: ['p-chain'] },
    'data/utxos': { blockchainIds: ['p-chain'], addresses, includeSpent: true },
  };
  return whole;
}

/** The containers and a list that must agree with them, and nothing else. */
function validatorStreams(devnet: Devnet): Whole {
  const whole = everyStream(devnet);
  whole.pipelines.demo.streams = { 'node/containers': { indexes: ['P/block'] }, 'node/platform_validators': {} };
  return whole;
}

/** What one run should not have said. Where it does not publish, objections to publishing are known all the same. */
async function complaints(folder: string, publishes: boolean): Promise<unknown[]> {
  const report = await runPhases({
    settings: readConfig({ config: join(folder, 'firn.yaml') }),
    catalogue,
    phases: publishes ? phases : ['sync', 'build'],
    signal: new AbortController().signal,
    log: silent,
  });
  return [
    ...report.partitions.filter(
      ({ stream, code, outcome, quarantined }) =>
        quarantined > 0 ||
        // The recording knows balances at its end only.
        (outcome === 'failed' && !(stream === 'node/platform_balances' && code === 'refused')),
    ),
    ...report.audits.filter(hasFailed),
    ...report.heldBack,
    ...report.problems,
    ...(report.published || !publishes ? [] : ['not published']),
  ];
}

interface Moving {
  readonly streamsOf: (devnet: Devnet) => Whole;
  readonly head: string;
  readonly step: string;
  /** The share of the history from which on a run is the last one. */
  readonly until: number;
  readonly publishes?: boolean;
}

/** Runs until the head has come so far and once more, at most five times; complaints by run. */
async function runWhileItMoves({ streamsOf, head, step, until, publishes = false }: Moving): Promise<unknown[][]> {
  const folder = await temporary();
  await placeState(folder, undefined, { isBuilt: true });
  const devnet = await startDevnet({ head, step });
  const { firstMoment, lastMoment } = devnet.ledger;
  try {
    await writeFile(join(folder, 'firn.yaml'), stringify(streamsOf(devnet), { aliasDuplicateObjects: false }));
    const heard: unknown[][] = [];
    let isLast = false;
    while (!isLast) {
      isLast = devnet.head.now() >= firstMoment + (lastMoment - firstMoment) * until || heard.length === 4;
      heard.push(await complaints(folder, publishes && isLast));
    }
    expect(heard.length).toBeGreaterThan(1);
    return heard;
  } finally {
    await devnet.close();
  }
}

describe('a head that moves between any two requests makes no audit cry wolf', () => {
  test.each<[string, Moving]>([
    // Enough for rows of every stream, also in what comes while it moves.
    ['all streams', { streamsOf: everyStream, head: '24%', step: '0.05%', until: 0.36, publishes: true }],
    ['the P-Chain', { streamsOf: platformStreams, head: '22%', step: '1.1%', until: 1 }],
    ['the P-Chain', { streamsOf: platformStreams, head: '64%', step: '0.53%', until: 0.9 }],
    // A staking ends after the containers were read, and before the list is.
    ['validators', { streamsOf: validatorStreams, head: '71%', step: '0.37%', until: 1 }],
  ])('over %s (%#)', async (_, moving) => {
    for (const heard of await runWhileItMoves(moving)) expect(heard).toEqual([]);
  });
});
