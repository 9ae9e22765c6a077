import type { Scene } from '../scene.ts';
import { buildShim, type Shim } from './buildShim.ts';

/** The shim of a scene, built once; why it cannot be had here, in a sentence. */
export const shimOf = (scene: Scene): Promise<Shim | string> => scene.once('shim', () => buildShim(scene.folder));
