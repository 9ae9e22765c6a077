import { expect, test } from 'vitest';
import { z } from 'zod';
import { amount, int32, named, optional, text } from '../../../src/core/columns/columns.ts';
import { Verbatim } from '../../../src/core/json/verbatim.ts';
import { alias, orShort, orSingle, ownForm, repeating, wireForm } from '../../../src/core/parse/wireForm.ts';

const owed = orShort(z.object({ amount: optional(amount('Amount.')), name: optional(text('Name.')) }), 'amount');
const schema = z.object({
  hash: alias(text('Hash.'), 'txHash', 'id'),
  amount: optional(amount('Amount.')),
  asset: repeating(z.object({ symbol: optional(text('Symbol.')) }), 'amount').nullish(),
  reward: owed.nullish(),
  paid: orSingle(z.array(owed)).nullish(),
});

test.each<[string, unknown, unknown]>([
  ['a member under its own name', { hash: 'a' }, { hash: 'a' }],
  ['a member under another one', { txHash: 'a' }, { hash: 'a' }],
  ['the first name that has a value', { hash: null, txHash: null, id: 'a' }, { hash: 'a' }],
  ['two values, of which the second is kept', { hash: 'a', id: 'b' }, { hash: 'a', id: 'b' }],
  ['an object by one of its members', { reward: '7' }, { reward: { amount: '7' } }],
  ['a list by its only item', { paid: { name: 'x' } }, { paid: [{ name: 'x' }] }],
  ['a list by the short form of its only item', { paid: 7 }, { paid: [{ amount: 7 }] }],
  ['short forms in a list', { paid: [7, { amount: 8 }] }, { paid: [{ amount: 7 }, { amount: 8 }] }],
  ['a member that stands inside', { asset: { amount: '7', symbol: 's' } }, { amount: '7', asset: { symbol: 's' } }],
  ['a member that stands twice', { amount: 7, asset: { amount: '7' } }, { amount: 7, asset: {} }],
  ['one that says another thing inside', { amount: 7, asset: { amount: 8 } }, { amount: 7, asset: { amount: 8 } }],
  ['nothing', { asset: null, reward: null, paid: null }, { asset: null, reward: null, paid: null }],
  ['what is in none of the forms', { asset: 7, reward: [7], paid: [[7]] }, { asset: 7, reward: [7], paid: [[7]] }],
  ['no record', 'text', 'text'],
])('puts %s in its own form, and leaves that as it is', (_, raw, own) => {
  expect(ownForm(schema, raw)).toEqual(own);
  expect(ownForm(schema, own)).toEqual(own);
});

test('leaves members in their places', () => {
  const raw = { before: 1, id: 'a', txHash: null, after: 2 };
  expect(Object.keys(ownForm(schema, raw) as object)).toEqual(['before', 'hash', 'after']);
});

test('takes a number that was kept verbatim for a value', () => {
  const kept = new Verbatim('1.50');
  expect(ownForm(schema, { reward: kept })).toEqual({ reward: { amount: kept } });
});

test('a form is that of the schema it was given, and of no other with the same columns', () => {
  const place = named('place', int32('Place.'));
  expect(wireForm(alias(place, 'at')).names).toEqual(['at']);
  expect(wireForm(place).names).toBeUndefined();
});
