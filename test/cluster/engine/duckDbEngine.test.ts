import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { type DuckDb, openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { createDuckDbEngine } from './duckDbEngine.ts';
import { engineContract, type JudgedEngine } from './engineContract.ts';
import { stageRows } from './stageRows.ts';

let folder: string;
let judged: JudgedEngine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-engine-'));
  const duckDb = await openDuckDb({ folders: [folder], file: join(folder, 'lake.duckdb') });
  const root = `${pathToFileURL(folder)}/`;
  judged = {
    folder,
    root,
    engine: createDuckDbEngine(duckDb, root),
    losing: () => createDuckDbEngine(losingAnswers(duckDb), root),
    stage: (table, id, select) => stageRows(folder, root, table, id, select),
  };
});

afterAll(async () => {
  await judged.engine.close();
  await rm(folder, { recursive: true });
});

/** Of every two transactions the first is carried out, and says that it was not. */
function losingAnswers(duckDb: DuckDb): DuckDb {
  let count = 0;
  const transaction: DuckDb['transaction'] = async (work) => {
    const result = await duckDb.transaction(work);
    count += 1;
    if (count % 2 === 1) throw new Error('the answer is lost');
    return result;
  };
  return { ...duckDb, transaction };
}

engineContract(() => judged);
