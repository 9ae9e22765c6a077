import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml, html, markup } from '../../../src/report/markup/html.ts';

test.each([
  ['<b>', '&lt;b&gt;'],
  [`"'&`, '&quot;&#39;&amp;'],
  ['a\u0000b\u001b[31m', 'a\ufffdb\ufffd[31m'],
  ['\ud800x', '\ufffdx'],
  ['🏔️ ❄\n\t', '🏔️ ❄\n\t'],
])('%j is written as %j', (text, expected) => {
  expect(escapeHtml(text)).toBe(expected);
});

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

test('no text can end a tag, an attribute or a script; a reader sees it as it is, and what cannot be seen as an escape', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const escaped = escapeHtml(text);
      expect(escaped).not.toMatch(/[<>"']|&(?!lt;|gt;|quot;|#39;|amp;)/);
      const read = escaped.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
      const seen = text
        .replaceAll('\r\n', '\n')
        .replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\ufffd-\uffff]/gu, '')
        .replace(/[\r\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
      expect(read.replaceAll('\ufffd', '')).toBe(seen);
    }),
  );
});

test('what is put into a template is escaped unless it is markup; nothing stands for what is absent', () => {
  const inner = html`<i>${'<'}</i>`;
  expect(html`<p title="${'"'}">${inner}${[1n, '&', null, undefined, false, true, 0, markup('<hr>')]}</p>`.markup).toBe(
    '<p title="&quot;"><i>&lt;</i>1&amp;0<hr></p>',
  );
});
