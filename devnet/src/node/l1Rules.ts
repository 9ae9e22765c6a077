import { rawMembers } from '../codec/rawMembers.ts';
import type { Raw } from '../types.ts';
import type { EvmBlocks } from './evmBlocks.ts';
import { blockNameParam, unreadable } from './evmParams.ts';
import { requireState } from './evmState.ts';
import { type RecordedAnswer, type RecordedAnswers, replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';

/** eth_feeConfig: each recorded answer says since which block its configuration holds, so they give it for every block. */
export function feeConfig(
  answers: RecordedAnswers,
  path: string,
  blocks: EvmBlocks,
  params: readonly unknown[],
  now: number,
): Raw {
  const block = blocks.find(params.length === 0 ? { latest: true } : blockNameParam(params, 0), now);
  requireState(blocks, block, now);
  let best: { since: number; result: Raw } | null = null;
  for (const answer of answers.all(path, 'eth_feeConfig')) {
    if (answer.result === null) continue;
    const since = Number(rawMembers(answer.result).get('lastChangedAt') ?? 0);
    if (since <= block.number && since >= (best?.since ?? 0)) best = { since, result: answer.result };
  }
  if (best === null) throw new RpcError('the recording holds no fee configuration of this block');
  return best.result;
}

/**
 * eth_getActiveRulesAt and eth_getActivePrecompilesAt: rules are a step function of time, of which every recorded answer is one
 * point (without a timestamp: the time of the newest block when it was taken).
 */
export function rulesAt(
  answers: RecordedAnswers,
  path: string,
  method: string,
  blocks: EvmBlocks,
  params: readonly unknown[],
  now: number,
): Raw {
  const headTime = (moment: number): number => blocks.find({ latest: true }, moment)?.timestamp ?? 0;
  const asked = params[0] ?? headTime(now);
  if (typeof asked !== 'number') throw unreadable(0, asked, 'uint64');
  const points = answers.all(path, method).map((answer) => {
    const given = (answer.params as readonly unknown[])[0];
    return { answer, time: typeof given === 'number' ? given : headTime(answer.takenAt) };
  });
  let best: { answer: RecordedAnswer; time: number } | null = null;
  for (const point of points) {
    if (point.answer.error !== null) continue;
    const later = best === null || point.time > best.time || (point.time === best.time && point.answer.takenAt <= now);
    if (point.time <= asked && later) best = point;
  }
  best ??= points.filter(({ answer }) => answer.error === null).sort((a, b) => a.time - b.time)[0] ?? null;
  if (best === null) throw new RpcError(`the recording holds no answer to ${method}`);
  return replay(best.answer);
}
