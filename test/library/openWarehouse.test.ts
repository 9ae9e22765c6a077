import { expect, onTestFinished, test } from 'vitest';
import { openWarehouse } from '../../src/library/openWarehouse.ts';
import { publish } from '../../src/publish/publish.ts';
import { sampleWarehouse } from '../publish/sampleWarehouse.ts';

test('lists and bytes come as text, and SQL makes of them what a program takes apart', { tags: 'long' }, async () => {
  const state = await sampleWarehouse();
  await publish(state, { runId: 'r1' });
  const warehouse = await openWarehouse({ warehouse: state.folder });
  onTestFinished(() => warehouse.close());
  const rows = await warehouse.query<Record<string, string>>(
    `SELECT tags, raw, to_json(tags) AS tags_json, hex(raw) AS raw_hex FROM raw.node_evm_blocks WHERE "number" = 2 LIMIT 1`,
  );
  const [{ tags, raw, tags_json: json = '', raw_hex: hex = '' } = {}] = rows;
  expect([tags, raw]).toEqual(["['a', NULL, 'it''s']", String.raw`\x00\xFF\x80abc`]);
  expect(JSON.parse(json)).toEqual(['a', null, "it's"]);
  expect(Buffer.from(hex, 'hex')).toEqual(Buffer.from([0x00, 0xff, 0x80, 0x61, 0x62, 0x63]));
});
