export { packageRoot } from '../load/packageRoot.ts';
