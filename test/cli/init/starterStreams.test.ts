import { expect, test } from 'vitest';
import { groupedFindings } from '../../../src/cli/init/groupedFindings.ts';
import { chooseStreams } from '../../../src/cli/init/starterStreams.ts';
import type { ProbeReport } from '../../../src/run/probe/probeSources.ts';
import type { StreamFinding } from '../../../src/run/probe/probeStreams.ts';

const stream = 'node/containers';

const missing = (index_name: string, sentence: string): StreamFinding => ({
  source: 'node',
  stream,
  about: `${stream} ${index_name}`,
  state: 'missing',
  code: 'not_offered',
  partition: { values: { index_name }, settings: {} },
  sentence,
});
const isOff = (index: string) => missing(index, `POST /ext/index/${index} answered 404: enable it in the node.`);

test('indexes that are missing for the same reason stand on one line, and those for another one on theirs', () => {
  const absent = missing('C/block', 'The node does not run the chain C.');
  const found = [absent, isOff('P/block'), isOff('X/block')];
  const both = 'The node does not run the chain C. POST /ext/index/P/block answered 404: enable it in the node.';
  expect(groupedFindings(found).map(({ about, sentence }) => [about, sentence])).toEqual([
    ['node/containers C/block', absent.sentence],
    ['node/containers P/block, X/block', isOff('P/block').sentence],
  ]);
  const candidate = { id: stream, parameters: { indexes: ['C/block', 'P/block', 'X/block'] } };
  const report = { offers: {}, streams: found } as unknown as ProbeReport;
  expect(chooseStreams([candidate], report)).toMatchObject([{ state: 'left out', reason: both }]);
});
