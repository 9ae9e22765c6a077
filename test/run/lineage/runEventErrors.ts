import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const schema = join(import.meta.dirname, '..', '..', 'fixtures', 'openlineage', 'runEvent.json');
const ajv = new Ajv2020();
formats.default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')));

/** What OpenLineage finds wrong with an event, as it is sent. */
export function runEventErrors(event: unknown): readonly ErrorObject[] {
  return validate(JSON.parse(JSON.stringify(event))) ? [] : (validate.errors ?? []);
}
