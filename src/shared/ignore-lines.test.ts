import { expect, it } from 'vitest';
import { usableIgnoreLines } from './ignore-lines';

it('[SRC-files] lines of an ignore file hold at most two inner globstars', () => {
  const used = ['*.log', 'a/**/b', '!/**/a/**/b/**/c', '**/**/a/*/b/*/c/*/d/**', '/a/***/b/**/c\r', ''];
  const left = ['a/**/b/**/c/**/d', '!x/**/**/**/y', '**/a/**/b/**/c/***/', 'a/**/'.repeat(9)];
  expect(usableIgnoreLines(`\uFEFF${[...left, ...used].join('\n')}`)).toBe(used.join('\n'));
});
