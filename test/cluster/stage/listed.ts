import type { Stage } from '../../../src/cluster/contract.ts';

/** All files of a stage. */
export async function listed(stage: Stage) {
  const files = [];
  for await (const file of stage.list()) files.push(file);
  return files;
}
