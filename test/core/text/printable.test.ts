import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable, printableJson, printableLine } from '../../../src/core/text/printable.ts';

describe('printable', () => {
  test.each([
    ['plain text, äöü 漢字 🏔 \t tabs\nand lines', 'plain text, äöü 漢字 🏔 \t tabs\nand lines'],
    ['\u001b[31mred\u001b]0;title\u0007', '\\u{1b}[31mred\\u{1b}]0;title\\u{7}'],
    ['over\rwritten', 'over\\u{d}written'],
    ['one\r\ntwo', 'one\ntwo'],
    ['\u009b2J', '\\u{9b}2J'],
    ['nul\u0000 del\u007f', 'nul\\u{0} del\\u{7f}'],
    ['invoice\u202egnp.exe', 'invoice\\u{202e}gnp.exe'],
    ['\u2066isolated\u2069 \u061c', '\\u{2066}isolated\\u{2069} \\u{61c}'],
    ['US\u200bDC \u2060\ufeff\u00ad', 'US\\u{200b}DC \\u{2060}\\u{feff}\\u{ad}'],
    ['line\u2028par\u2029', 'line\\u{2028}par\\u{2029}'],
    ['half \ud83c', 'half \\u{d83c}'],
    ['tag \u{e0041}', 'tag \\u{e0041}'],
  ])('%j is shown as %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('cuts long lines, each by itself', () => {
    expect(printable(`short\n${'x'.repeat(30)}`, 10)).toBe(`short\n${'x'.repeat(10)}… (cut)`);
    expect(printable(`${'x'.repeat(10)}\n${'y'.repeat(10)}`, 10)).not.toContain('(cut)');
    expect(printableLine('a\nb\tc')).toBe('a\\nb\\tc');
  });

  test('leaves nothing that a terminal would act on, whatever comes', { tags: 'long' }, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printableLine(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe('printableJson', () => {
  test('keeps the value and shows no control, whatever comes', { tags: 'long' }, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, text) => {
        const shown = printableJson(JSON.stringify({ [name]: text }));
        expect(JSON.parse(shown)).toEqual({ [name]: text });
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  test.each([
    ['\u202e\u009b\u007f', '"\\u202e\\u009b\\u007f"'],
    ['\u{e0041}', '"\\udb40\\udc41"'],
  ])('escapes %j as JSON does', (text, shown) => {
    expect(printableJson(JSON.stringify(text))).toBe(shown);
  });
});
