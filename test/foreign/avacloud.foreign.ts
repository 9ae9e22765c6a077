import { AvaCloudSDK as Avalanche } from '@avalabs/avacloud-sdk';
import { HTTPClient } from '@avalabs/avacloud-sdk/lib/http.js';
import * as components from '@avalabs/avacloud-sdk/models/components/index.js';
import { answersBySchema } from './answersBySchema.ts';
import { newer, refused, untyped } from './disagreements.ts';
import { sdkSuite } from './sdkSuite.ts';

sdkSuite({
  name: 'avacloud-sdk',
  Avalanche,
  HTTPClient,
  unknown: Object.keys({ ...untyped, ...newer }),
  refuses: Object.keys(refused),
  posts: false,
} as never);
answersBySchema('avacloud-sdk', components);
