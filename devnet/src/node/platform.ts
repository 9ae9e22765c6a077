import type { Ledger } from '../types.ts';
import type { LinearBlocks } from './linearBlocks.ts';
import type { PlatformFacts } from './platformFacts.ts';
import type { RecordedAnswers } from './recordedAnswers.ts';

/** What the methods of the P-Chain answer from. */
export interface Platform {
  readonly ledger: Ledger;
  readonly blocks: LinearBlocks;
  readonly answers: RecordedAnswers;
  /** What the blocks say about their transactions, found when it is first asked for. */
  facts(): PlatformFacts;
}

export const platformPath = '/ext/bc/P';
