import { expect, it } from 'vitest';
import type { FileChange } from './file-change';
import { coveragesOf } from './grant';
import { describeCoverage } from './grant-labels';

const file = (path: string): FileChange => ({ kind: 'folder', path, hash: '', exists: false });
const write = (path: string) => ({
  tool: 'mcp://filesystem.write_file',
  arguments: { path, content: 'x' },
  file: file(path.replace('./', '')),
});
const words = (calls: Parameters<typeof coveragesOf>[0]) =>
  coveragesOf(calls).map((one) =>
    describeCoverage(
      one,
      calls.map(({ tool }) => tool),
    ),
  );

it('[APR-scope] describes the scope of a permission, from narrow to wide', () => {
  expect(words([write('./docs/deep/a.md'), write('docs/b.md')])).toEqual([
    'write_file with exactly these arguments',
    'write_file in docs/**',
    'write_file with any arguments',
  ]);
  expect(words([write('a.md')])).toContain('write_file in **');
  const fetched = { tool: 'mcp://web.fetch', arguments: { url: 'https://example.com/a' } };
  expect(words([fetched])).toContain('fetch on example.com');
  const other = { tool: 'mcp://web.fetch', arguments: { url: 'https://example.org/a' } };
  expect(words([fetched, other])).not.toContain('fetch on example.com');
  expect(words([{ tool: 'mcp://web.now', arguments: {} }])).toEqual(['now with any arguments']);
});
