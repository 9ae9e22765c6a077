import { expect, onTestFinished, test } from 'vitest';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { placeModels } from '../../../src/transform/models/placeModels.ts';
import { temporaryWarehouse } from '../warehouse.ts';

test('comments and line breaks make no other version of a model, what is quoted does', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const version = async (sql: string) => {
    const text = `/*\ndescription: What it holds.\nkept: table\ncolumns:\n  a: It.\n*/\n${sql}`;
    const [model] = await placeModels(warehouse, [parseModel('mart.x', 'x.sql', text)]);
    return model?.hash;
  };
  const plain = await version("SELECT 'a b' AS a");
  expect(await version("SELECT 'a b'\n  -- it's said, don't count\n  AS  a")).toBe(plain);
  for (const same of ["'a b' AS a -- b", "'a b' /* 'a  b'\n -- */ AS a"])
    expect(await version(`SELECT ${same}`)).toBe(plain);
  // A line break ends a comment.
  expect(await version("SELECT 'a b' AS a -- it\n, b")).not.toBe(await version("SELECT 'a b' AS a -- it , b"));
  for (const other of ["'a  b'", "'a\nb'", "'a\tb'", "'a\n-- b\nb'"])
    expect(await version(`SELECT ${other} AS a`), other).not.toBe(plain);
  expect(await version(`SELECT 'it''s' AS "a  b"`)).not.toBe(await version(`SELECT 'it''s' AS "a b"`));
});

test('models that read themselves have a problem with their file and the way, and those beside them none', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const model = (name: string, ...read: string[]) =>
    parseModel(`mart.${name}`, `${name}.sql`, `/*\ndescription: What it holds.\n*/\nFROM ${read.join(', ')}`);
  const placed = await placeModels(warehouse, [
    model('alone', 'mart.Alone'),
    model('above', 'mart.b', 'raw.x'),
    model('b', 'mart.c'),
    model('c', 'mart.d'),
    model('d', 'raw.x', 'mart.below', 'mart.b'),
    model('below', 'raw.x'),
  ]);
  expect(Object.fromEntries(placed.map(({ name, problem }) => [name, problem?.message ?? null]))).toEqual({
    'mart.alone': 'alone.sql:4: it reads itself: mart.alone -> mart.Alone. Take one of these references out.',
    'mart.above': null,
    'mart.b': 'b.sql:4: it reads itself: mart.b -> mart.c -> mart.d -> mart.b. Take one of these references out.',
    'mart.c': expect.stringMatching(/^c\.sql:4: .* mart\.c -> mart\.d -> mart\.b -> mart\.c\./),
    'mart.d': expect.stringMatching(/^d\.sql:4: /),
    'mart.below': null,
  });
});

test('a number beyond a double, which JSON does not have, keeps no model from being read', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const text = '/*\ndescription: What it holds.\n*/\nSELECT 1e400 AS a FROM mart.x';
  const [model] = await placeModels(warehouse, [parseModel('mart.own', 'own.sql', text)]);
  expect(model).toMatchObject({ problem: null, references: ['mart.x'] });
});
