import type { Captured } from '../cli/firnProcess.ts';
import { killed, uninterrupted } from './kills.ts';
import { expectEnd, expectSameRows, expectWhole, type Place, type Scene } from './scene.ts';

const run = killed.find(({ name }) => name === 'run') as (typeof killed)[number];

/** @throws where what was said is not what must be said */
export function expectSaid({ stdout, stderr }: Captured, sentence: RegExp): void {
  const said = `${stdout}${stderr}`.trim();
  if (!sentence.test(said)) throw new Error(`It does not say ${sentence}: ${said.slice(-1000)}`);
}

/** Nothing was damaged: once the trouble is over, a run makes it what it is without. */
export async function expectUnharmed(scene: Scene, place: Place): Promise<void> {
  await expectWhole(place);
  expectEnd(await place.firn('run'), 'the run after it');
  await expectWhole(place);
  await expectSameRows(place, (await uninterrupted(scene, run)).ended);
  await place.remove();
}
