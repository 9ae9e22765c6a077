import { bounds, type RawValue, rawOf, rawTree } from '../../src/index.ts';

/** One frame as callTracer nests it. */
interface CallFrame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly gas?: string;
  readonly gasUsed?: string;
  readonly input?: string;
  readonly output?: string;
  readonly error?: string;
  readonly revertReason?: string;
  readonly calls?: readonly CallFrame[];
}

/** A frame with its place in the tree. `reverted` counts the frame's own error and that of every ancestor. */
export interface FlatFrame extends Omit<CallFrame, 'calls'> {
  readonly txIndex: number;
  readonly frame: number;
  readonly parentFrame: number | null;
  readonly depth: number;
  readonly reverted: boolean;
}

/** Some nodes write the error of a frame without any as null, or as an empty text. */
const isNone = (error: unknown): error is undefined | null | '' =>
  error === undefined || error === null || error === '';

/** Lists the frames of a transaction's call tree in preorder. Trees are walked without recursion: they nest up to 1,024 deep. */
export function flattenTrace(txIndex: number, root: unknown): FlatFrame[] {
  const frames: FlatFrame[] = [];
  const stack = [{ call: root, parent: null as FlatFrame | null }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { calls, error, ...own } = rawOf(next.call) as unknown as CallFrame;
    const { parent } = next;
    // Anything but a list stays as a member that no schema knows.
    const inner: readonly unknown[] = Array.isArray(calls) ? calls : [];
    const flat: FlatFrame = {
      ...own,
      ...(calls && !Array.isArray(calls) && { calls }),
      txIndex,
      frame: frames.length,
      parentFrame: parent?.frame ?? null,
      depth: parent ? parent.depth + 1 : 0,
      ...(!isNone(error) && { error }),
      reverted: !isNone(error) || (parent?.reverted ?? false),
    };
    frames.push(flat);
    for (const call of inner.toReversed()) stack.push({ call, parent: flat });
  }
  return frames;
}

/** The same for a tree that came unparsed: frames stay where they are, with their place in the tree beside them. */
export function flattenRawTrace(txIndex: number, root: RawValue): readonly (RawValue | FlatFrame)[] {
  const nodes = rawTree(root, 'calls', ['error']);
  if (!nodes) return flattenTrace(txIndex, root.parse({ bounds: bounds.traces }));
  const places: { readonly depth: number; readonly reverted: boolean }[] = [];
  return nodes.map(({ value, parent, members: [error] }, frame) => {
    const above = places[parent];
    const depth = above ? above.depth + 1 : 0;
    const isSound = error === undefined || isNone(error.parse());
    const reverted = !isSound || (above?.reverted ?? false);
    places.push({ depth, reverted });
    const place = { txIndex, frame, parentFrame: above ? parent : null, depth, reverted };
    return value.with(isSound && error ? { ...place, error: null } : place);
  });
}
