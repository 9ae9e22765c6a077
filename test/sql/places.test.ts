import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Template texts of a file, without what is filled into them. */
function templates(text: string): string[] {
  let bare = text;
  for (let before = ''; before !== bare; ) {
    before = bare;
    bare = bare.replace(/\$?\{[^{}`]*\}/g, '').replace(/\$\{[^{}`]*`[^`]*`[^{}`]*\}/g, '');
  }
  return bare.match(/`[^`]*`/g) ?? [];
}

const isLongSql = (text: string) =>
  /\b(SELECT|INSERT INTO|DELETE FROM|CREATE)\b/.test(text) &&
  text.split('\n').filter((line) => line.trim() !== '`').length > 10;

test.each(['src', 'pipelines', 'devnet/src'])('SQL of more than ten lines in %s stands in .sql files', (folder) => {
  const files = readdirSync(join(root, folder), { recursive: true }).map(String);
  const long = files
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => templates(readFileSync(join(root, folder, file), 'utf8')).some(isLongSql));
  expect(long).toEqual([]);
});

test('such SQL would be found, also where something is filled in', () => {
  const lines = Array.from({ length: 9 }, (_, i) => `  ${i},`).join('\n');
  const source = `run(\`SELECT \${[1].map((n) => \`\${{ n }.n}\`)}\n${lines}\n  FROM x\`)`;
  expect(templates(source).filter(isLongSql)).toHaveLength(1);
});
