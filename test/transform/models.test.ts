import { describe, expect, it } from 'vitest';
import { modelOrder } from '../../src/transform/modelOrder.ts';
import { parseModel } from '../../src/transform/parseModel.ts';
import { readModels } from '../../src/transform/readModels.ts';
import { metricNames } from './metricSeries.ts';

describe('parseModel', () => {
  const text = `-- First line
-- and second.
-- Traps: none: really.
-- Variants: a (what a is), b_c (what
-- b is), d
-- Kept as: earliest by chain_id, address
-- Columns:
--   chain_id: EVM chain id.
--   hour: Start [UTC].
SELECT 1 -- one
;
`;

  it('reads the header and leaves the SELECT', () => {
    expect(parseModel('mart.x', 'mart/x.sql', text)).toEqual({
      name: 'mart.x',
      file: 'mart/x.sql',
      sql: 'SELECT 1 -- one',
      line: 10,
      description: 'First line and second. Traps: none: really.',
      keptAs: { kind: 'earliest', key: ['chain_id', 'address'] },
      variants: { a: 'what a is', b_c: 'what b is', d: '' },
      columns: { chain_id: 'EVM chain id.', hour: 'Start [UTC].' },
    });
  });

  it('says what may stand there when it does not know how a model is kept', () => {
    expect(() => parseModel('mart.x', 'mart/x.sql', '-- Kept as: jam\nSELECT 1')).toThrow(
      /mart\/x\.sql.*"Kept as: jam".*view, table/s,
    );
  });
});

describe('modelOrder', () => {
  const model = (name: string, ...references: string[]) => ({ name, references });

  it('puts each model after those it reads, whatever the order and case', () => {
    const ordered = modelOrder([model('m.c', 'm.B', 'raw.x'), model('m.a'), model('m.b', 'm.a')]);
    expect(ordered.map(({ name }) => name)).toEqual(['m.a', 'm.b', 'm.c']);
  });

  it('names a circle', () => {
    expect(() => modelOrder([model('m.a', 'm.b'), model('m.b', 'm.c'), model('m.c', 'm.b')])).toThrow(
      'm.b -> m.c -> m.b',
    );
  });
});

describe('the models of the package', async () => {
  const models = await readModels();

  it('hold every metric', () => {
    const names = models.map(({ name }) => name);
    for (const metric of metricNames) expect(names).toContain(`mart.metric_${metric}`);
  });

  it.each(models.map((model) => [model.name, model] as const))('%s says what it is', (_, model) => {
    expect(model.description.length).toBeGreaterThan(30);
    if (model.keptAs.kind !== 'view') expect(Object.keys(model.columns).length).toBeGreaterThan(0);
  });
});
