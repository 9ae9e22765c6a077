import { rawOf } from '../json/answerParts.ts';
import { RawValue } from '../json/rawValue.ts';

/** Whether a trace has the steps of the machine in place of calls: its node does not know the tracer that it was asked for, as Besu does not. */
export const ignoresTracer = (trace: unknown): boolean =>
  (trace instanceof RawValue ? trace.member('structLogs') : rawOf(trace)['structLogs']) !== undefined;
