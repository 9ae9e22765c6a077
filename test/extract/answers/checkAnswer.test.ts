import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { bounds } from '../../../src/core/json/bounds.ts';
import { checkAnswer } from '../../../src/extract/answers/checkAnswer.ts';

const refusing = () => {
  throw new FirnError('contract', 'It is no list.');
};

test.each([
  ['null', 'contract', 'with null instead of data'],
  ['{"statusCode":429,"message":"slow down"}', 'rate_limited', 'slow down'],
  ['{"jsonrpc":"2.0","error":{"code":1,"message":"no such method"}}', 'contract', 'no such method'],
  ['{"other":1}', 'contract', 'It is no list.'],
])('an answer that is left unparsed is told for what it is before it is checked: %s', (text, code, words) => {
  const answer = { status: 200, headers: {}, content: Buffer.from(text) };
  const options = {
    numbers: 'lossless',
    raw: [],
    bounds: bounds.page,
    now: 0,
    redact: String,
    check: refusing,
  } as const;
  const checked = checkAnswer(() => 'GET https://a.example', answer as never, options);
  expect(checked).toMatchObject({ code, message: expect.stringContaining(words) });
});
