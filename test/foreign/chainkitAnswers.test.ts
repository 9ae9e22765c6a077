/** @module-tag long */
import * as components from '@avalanche-sdk/chainkit/models/components';
import { answersBySchema } from './answersBySchema.ts';

answersBySchema('chainkit', components);
