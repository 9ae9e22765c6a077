import { expect, test } from 'vitest';
import { isTooLarge, isTransient, rpcError } from '../../../src/extract/answers/rpcError.ts';

test.each([
  [-32601, 'the method eth_noSuch does not exist/is not available', 'not_offered', false],
  [-32000, `rpc: can't find method "index.NoSuch"`, 'not_offered', false],
  [-32000, `rpc: can't find service "nosuch.Method"`, 'not_offered', false],
  [-32000, 'cannot query unfinalized data', 'unavailable', true],
  [-32000, 'Cannot query unfinalized data', 'unavailable', true],
  [-32000, 'block #1756 not found', 'unavailable', true],
  [-32000, 'header not found', 'unavailable', true],
  [-32000, 'failed to get uptime for validation ID 2f: validationID not found', 'unavailable', true],
  [-32000, 'finalized block not found', 'refused', false],
  [-32000, 'safe block not found', 'refused', false],
  [-32002, 'request timed out', 'unavailable', true],
  [-32002, 'Archive, Debug and Trace requests are not available on your current plan.', 'refused', false],
  [30, 'Request timeout on the free tier, please upgrade your tier to the paid one', 'unavailable', true],
  [19, 'Temporary internal error. Please retry, trace-id: d13566ef', 'unavailable', true],
  [-32009, 'Server is busy, try again later', 'unavailable', true],
  [-32000, 'debug_traceBlockByNumber is not available on the free tier. Please try again later', 'refused', false],
  [-32000, 'execution timeout', 'refused', false],
  [-32000, 'API call rejected because chain is not done bootstrapping', 'unavailable', true],
  [-32005, 'limit exceeded', 'rate_limited', true],
  [-32000, 'Too Many Requests', 'rate_limited', true],
  [429, 'Your app has exceeded its compute units per second capacity.', 'rate_limited', true],
  [-32007, '50/second request limit reached', 'rate_limited', true],
  [15, 'Too many request, try again later', 'rate_limited', true],
  [-32012, 'credits limited to 6000/sec', 'rate_limited', true],
  [-32007, 'requests limited to 15/sec', 'rate_limited', true],
  [-32000, 'limited to 1,000 per minute', 'rate_limited', true],
  [-32001, "You've reached the usage limit for your current plan. To continue, please upgrade", 'rate_limited', true],
  [-32000, 'rate exceeded', 'rate_limited', true],
  [-32001, 'Exceeded the quota usage', 'rate_limited', true],
  [-32000, 'Monthly capacity limit exceeded. Visit https://dashboard.example to upgrade.', 'rate_limited', true],
  [-32000, 'daily request count exceeded, request rate limited', 'rate_limited', true],
  [-32000, 'Unauthorized: You must authenticate your request with an API key.', 'unauthorized', false],
  [-32600, 'Must be authenticated!', 'unauthorized', false],
  [-32000, 'exceeds block gas limit', 'refused', false],
  [-32005, 'Batched requests are not supported by this server', 'refused', false],
  [-32000, 'gas limit reached', 'refused', false],
  [-32000, 'trace requests are limited to 128 recent blocks', 'refused', false],
  [-32603, 'method handler crashed', 'failed', true],
  [-32000, 'not found', 'not_found', false],
  [-32000, "couldn't get block at height 9: not found", 'unavailable', true],
  [-32000, 'start index (9) > last accepted index (8)', 'unavailable', true],
  [-32000, "couldn't get tx: not found", 'not_found', false],
  [-32000, 'no containers have been accepted', 'refused', false],
  [-32000, 'numToFetch must be in [1,1024] but is 0', 'refused', false],
  [-32000, 'genesis is not traceable', 'refused', false],
  [
    -32000,
    "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls",
    'refused',
    false,
  ],
  [-32600, 'jsonrpc must be 2.0', 'refused', false],
])('%i %s means %s, retryable: %s', (code, message, expected, retryable) => {
  const error = rpcError('POST http://host/ext/bc/P platform.getBlock', { code, message });
  expect(error).toMatchObject({ code: expected, retryable, context: { rpcCode: code, rpcMessage: message } });
  expect(error.message).toMatch(
    /^POST http:\/\/host\/ext\/bc\/P platform\.getBlock answered with error -?\d+: ".+"\. \S/,
  );
  expect(isTransient({ code, message })).toBe(retryable);
});

test.each([
  [-32003, 'response too large', true],
  [-32600, 'batch too large', true],
  [-32000, 'batch limit 20 exceeded', true],
  [-32000, 'maximum batch size is 100: exceeded', true],
  [-32000, 'batch of 30 exceeds the maximum', true],
  [31, 'Batch of more than 3 requests are not allowed on free tier', true],
  [-32000, 'response size should not greater than 2097152 bytes', true],
  [-32003, 'daily request limit reached - upgrade your account', false],
  [-32000, 'cannot query unfinalized data', false],
  [-32700, 'json: cannot unmarshal array into Go value of type json2.serverRequest', false],
])('%i %s is about size: %s', (code, message, expected) => {
  expect(isTooLarge({ code, message })).toBe(expected);
});
