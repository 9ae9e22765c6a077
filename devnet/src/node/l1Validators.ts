import { rawElements, rawMembers } from '../codec/rawMembers.ts';
import type { EvmChain } from '../types.ts';
import { type Methods, nodeIds, readArgs } from './args.ts';
import { type RecordedAnswers, replay } from './recordedAnswers.ts';

/** The validators service of an L1: the recorded list as of the newest recorded moment, filtered by node. */
export function createL1Validators(chain: EvmChain, answers: RecordedAnswers): Methods {
  const path = `/ext/bc/${chain.name}/validators`;
  const method = 'validators.getCurrentValidators';
  return {
    GetCurrentValidators(args, now) {
      const nodeIDs = readArgs(nodeIds, args['nodeIDs']);
      const all = answers.find(path, method, {}, now, true);
      // The node lists a map, in any order: the same question is answered in the order it was recorded with.
      const own = answers.find(path, method, args, now);
      if (own !== null && own.takenAt >= (all?.takenAt ?? 0)) return replay(own);
      if (all === null) return '{"validators":[]}';
      const kept = rawElements(rawMembers(replay(all)).get('validators') ?? '[]').filter((text) => {
        const { nodeID, startTimestamp } = JSON.parse(text) as { nodeID: string; startTimestamp: number };
        if (nodeIDs.length > 0 && !nodeIDs.includes(nodeID)) return false;
        return all.takenAt <= now || startTimestamp * 1000 <= now;
      });
      return `{"validators":[${kept.join()}]}`;
    },
  };
}
