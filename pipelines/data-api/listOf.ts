export { listOf, rawOf } from '../../src/index.ts';
