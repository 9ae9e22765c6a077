import { Avalanche } from '@avalanche-sdk/chainkit';
import { HTTPClient } from '@avalanche-sdk/chainkit/lib/http.js';
import { untyped } from './disagreements.ts';
import { sdkSuite } from './sdkSuite.ts';

sdkSuite({ name: 'chainkit', Avalanche, HTTPClient, unknown: Object.keys(untyped), refuses: [], posts: true });
