import { expect, onTestFinished, test } from 'vitest';
import { readControlState } from '../../../src/cluster/check/readControlState.ts';
import { migrateControl } from '../../../src/cluster/ledger/migrateControl.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { quotaName } from '../../../src/cluster/quota/sharedLimiter.ts';
import { createHttp } from '../../../src/extract/http/http.ts';
import { createLimiter } from '../../../src/extract/limits/limiter.ts';
import { freshDatabase } from '../postgres.ts';

test('what was used of a quota is found, also where a secret stands in the path of its source', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  await migrateControl(control);
  const [url, secret] = ['https://node.example/rpc/sesame-open-42/', 'sesame-open-42'];
  let origin = '';
  const http = createHttp({
    origin: { url, secrets: [secret] },
    limiter(how) {
      origin = how.origin;
      return createLimiter(how);
    },
  });
  await http.close();
  expect(origin).not.toContain(secret);
  await control.query(
    `INSERT INTO firn.quota (name, day, used_today) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 7)`,
    [quotaName(origin)],
  );
  const state = await readControlState(control, { sources: { node: { url } }, fromEnvironment: [secret] });
  expect(state?.used).toEqual({ node: 7 });
});
