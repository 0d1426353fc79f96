import { describe, expect, it } from 'vitest';
import { pathOfCode } from './code-path';

describe('[RICH-write] the file name for a code block of a model', () => {
  it.each([
    ['ts src/a.ts', 'src/a.ts'],
    ['ts:src/a.ts', 'src/a.ts'],
    ['tsx title="src/ui/button.tsx" {1,3}', 'src/ui/button.tsx'],
    ['./docs/readme.md', 'docs/readme.md'],
    ['package.json', 'package.json'],
    ['ts', ''],
    ['', ''],
    ['ts {1,3}', ''],
    ['js https://example.org/a.js', ''],
  ])('is named by the fence %j', (fence, path) => {
    expect(pathOfCode('const a = 1;', fence)).toBe(path);
  });

  it.each([
    ['// src/a.ts\nconst a = 1;', 'src/a.ts'],
    ['# file: tools/run.py\nimport os', 'tools/run.py'],
    ['<!-- index.html -->\n<p>', 'index.html'],
    ['/* styles/a.css */\na {}', 'styles/a.css'],
    ['// see src/a.ts for more\nconst a = 1;', ''],
    ['#!/usr/bin/env node\n', ''],
    ['const a = 1;\n// src/a.ts', ''],
  ])('is named by the first line of %j', (code, path) => {
    expect(pathOfCode(code, 'ts')).toBe(path);
  });

  it('takes linear time for a long line', () => {
    expect(pathOfCode(`// ${'a/'.repeat(500_000)}`, 'x/'.repeat(500_000))).toBe('');
  });
});
