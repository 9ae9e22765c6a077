import { rawElements, rawMembers } from '../codec/rawMembers.ts';
import type { EvmBlockRecord, Raw } from '../types.ts';
import { type EvmBlocks, txHashes } from './evmBlocks.ts';
import type { EvmMethods } from './evmMethods.ts';
import { blockNumberParam, hashParam } from './evmParams.ts';
import { goString, RpcError } from './rpcError.ts';

/** The methods that trace. */
export const traceMethods = (blocks: EvmBlocks): EvmMethods => ({
  debug_traceBlockByNumber: [
    2,
    (p, now) => {
      const name = blockNumberParam(p, 0);
      const found = blocks.find(name, now);
      const called = `#${'number' in name ? name.number : (found?.number ?? blocks.last(now))}`;
      return traces(blocks, found, p[1], called, now);
    },
  ],
  debug_traceBlockByHash: [
    2,
    (p, now) => {
      const hash = hashParam(p, 0);
      return traces(blocks, blocks.find({ hash }, now), p[1], hash, now);
    },
  ],
  debug_traceTransaction: [
    2,
    (p, now) => {
      const found = blocks.findTx(hashParam(p, 0), now);
      if (found === null) throw new RpcError('transaction not found');
      const trace = rawMembers(rawElements(traces(blocks, found.block, p[1], '', now))[found.position] ?? '{}');
      const error = trace.get('error');
      if (error !== undefined) throw new RpcError(JSON.parse(error) as string);
      return trace.get('result') ?? 'null';
    },
  ],
});

/** Recorded callTracer frames; an unknown tracer fails for every transaction on its own, as on the node. */
function traces(blocks: EvmBlocks, block: EvmBlockRecord | null, options: unknown, name: string, now: number): Raw {
  if (block === null) throw new RpcError(`block ${name} not found`);
  if (block.number === 0 || block.traces === null) throw new RpcError('genesis is not traceable');
  if (!blocks.hasState(block, now)) throw new RpcError('required historical state unavailable (reexec=128)');
  const { tracer, tracerConfig } = (options ?? {}) as { tracer?: unknown; tracerConfig?: unknown };
  if (tracer === 'callTracer' && Object.values(tracerConfig ?? {}).every((value) => value === false))
    return block.traces;
  if (typeof tracer === 'string' && /^[a-z]\w*$/i.test(tracer) && tracer !== 'callTracer') {
    const error = goString(`ReferenceError: ${tracer} is not defined at <eval>:1:2(0)`);
    return `[${txHashes(block)
      .map((hash) => `{"txHash":"${hash}","error":${error}}`)
      .join()}]`;
  }
  throw new RpcError('the recording holds traces of callTracer without options only');
}
