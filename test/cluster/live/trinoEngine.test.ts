import { afterAll, beforeAll } from 'vitest';
import { outcomeUnknown } from '../../../src/cluster/trino/statementError.ts';
import type { TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';
import { engineContract, type JudgedEngine } from '../engine/engineContract.ts';
import { stageRows } from '../engine/stageRows.ts';
import { lakeClient, lakeEngine, stagePlace } from './lake.ts';

const client = lakeClient();
let judged: JudgedEngine;

beforeAll(() => {
  const { folder, root } = stagePlace();
  judged = {
    folder,
    root,
    engine: lakeEngine(client),
    losing: () => lakeEngine(losingAnswers(client)),
    stage: (table, id, select) => stageRows(folder, root, table, id, select),
  };
});
afterAll(() => client.close());

/** Of every two statements the first is carried out, and its answer lost. */
function losingAnswers(whole: TrinoClient): TrinoClient {
  let count = 0;
  return {
    ...whole,
    async run(sql, session) {
      const result = await whole.run<never>(sql, session);
      count += 1;
      if (count % 2 === 1) throw outcomeUnknown('here', result.query, new Error('lost'));
      return result;
    },
  };
}

engineContract(() => judged);
