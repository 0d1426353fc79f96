import type { Tokens } from 'marked';
import { expect, it } from 'vitest';
import { lexBlocks } from '#shared/markdown/parse';
import { tableCsv } from './markdown-table';

const csv = (markdown: string): string => tableCsv(lexBlocks(markdown)[0] as Tokens.Table);

it('[MD-table-csv] copies text without markup, and quotes where needed', () => {
  const markdown =
    '| **Name** | Note |\n|---|---|\n| `a,b` | says "hi" &amp; goes |\n| [x](https://a.example) | |\n';
  expect(csv(markdown)).toBe('Name,Note\r\n"a,b","says ""hi"" & goes"\r\nx,\r\n');
});

it.each([
  ['=HYPERLINK("https://evil.example")', `"'=HYPERLINK(""https://evil.example"")"`],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['+1+cmd', "'+1+cmd"],
  ['-5.5', '-5.5'],
  ['+3 %', '+3 %'],
])('[MD-table-csv] keeps %s from being run as a formula', (text, expected) => {
  expect(csv(`| a |\n|---|\n| ${text} |\n`)).toBe(`a\r\n${expected}\r\n`);
});
