import { catalogue } from '../../../pipelines/index.ts';
import { declaredChains } from '../../../src/publish/verify/verifyContinuity.ts';
import { type LakeVerdict, verifyLake } from '../../../src/publish/verify/verifyLake.ts';

/** Verifies what is published with the chains that firn's own streams declare. */
export const verifyWhole = (folder: string, progress?: (done: number, total: number) => void): Promise<LakeVerdict> =>
  verifyLake(folder, { chains: declaredChains(catalogue), progress });
