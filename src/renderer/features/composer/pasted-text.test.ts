import { describe, expect, it } from 'vitest';
import {
  countLines,
  fold,
  foldFrom,
  nextPlaceholder,
  placeholdersIn,
  outsidePlaceholders,
  unfold,
} from './pasted-text';

const long = 'x'.repeat(foldFrom + 1);
const hostile = `⟦Pasted text 1⟧ ⟦Pasted text 2⟧ $& $1 \r\n\u0000${long}`;

describe('a draft in the field', () => {
  it('returns the same text, whatever it contains', () => {
    const text = `before ⟦Pasted text 1⟧ ${hostile} between ${long} after`;
    const first = 'before ⟦Pasted text 1⟧ '.length;
    const second = first + hostile.length + ' between '.length;
    const folds = [
      [first, first + hostile.length],
      [second, second + long.length],
    ] as const;
    const field = fold({ text, folds });
    expect(field.text).toBe('before ⟦Pasted text 1⟧ ⟦Pasted text 2⟧ between ⟦Pasted text 3⟧ after');
    expect(unfold(field)).toEqual({ text, folds });
  });

  it('stays as typed while it is short, and becomes one fold when it is long and was not folded', () => {
    expect(fold({ text: 'short ⟦Pasted text 1⟧', folds: [] })).toEqual({
      text: 'short ⟦Pasted text 1⟧',
      pastes: new Map(),
    });
    expect(fold({ text: long, folds: [] })).toEqual({
      text: '⟦Pasted text 1⟧',
      pastes: new Map([['⟦Pasted text 1⟧', long]]),
    });
  });

  it('contains a paste as often as its placeholder, and not without it', () => {
    const pastes = new Map([['⟦Pasted text 1⟧', long]]);
    expect(unfold({ text: 'a ⟦Pasted text 1⟧⟦Pasted text 1⟧', pastes }).text).toBe(`a ${long}${long}`);
    expect(unfold({ text: 'a ⟦Pasted text 1', pastes }).text).toBe('a ⟦Pasted text 1');
    expect(nextPlaceholder({ text: '⟦Pasted text 2⟧', pastes })).toBe('⟦Pasted text 3⟧');
  });
});

describe('a placeholder', () => {
  const field = { text: 'a⟦Pasted text 1⟧b', pastes: new Map([['⟦Pasted text 1⟧', long]]) };
  const [placeholder] = placeholdersIn(field);

  it('is passed by the caret as one letter', () => {
    expect(placeholder).toMatchObject({ start: 1, end: 16 });
    expect(outsidePlaceholders(field, 2, 1)).toBe(16);
    expect(outsidePlaceholders(field, 15, 16)).toBe(1);
    expect(outsidePlaceholders(field, 4, 0)).toBe(1);
    expect(outsidePlaceholders(field, 14, 0)).toBe(16);
    expect(outsidePlaceholders(field, 16, 17)).toBe(16);
  });

  it.each([
    ['', 1],
    ['one', 1],
    ['one\n', 1],
    ['one\ntwo', 2],
    ['\n\n', 2],
  ])('counts the lines of %j as %d', (text, lines) => {
    expect(countLines(text)).toBe(lines);
  });
});
