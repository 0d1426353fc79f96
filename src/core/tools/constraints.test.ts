import { describe, expect, it } from 'vitest';
import type { EnforcedConstraint } from '#shared/plan-constraint';
import { brokenConstraint } from './constraints';

const only = (prefix: string) => ({ kind: 'only-path', prefix }) as unknown as EnforcedConstraint;
const noWrites = { kind: 'no-writes' } as unknown as EnforcedConstraint;
const docs = only('docs/');

describe('the constraints of a plan', () => {
  it('forbid each write, whatever else is allowed', () => {
    expect(brokenConstraint([docs, noWrites], { path: 'docs/a' }, '/p')).toBe(noWrites);
    expect(brokenConstraint([], { path: 'anywhere' }, '/p')).toBeNull();
  });

  it.each([
    [{ path: 'docs/a.md' }, true],
    [{ path: './docs//a.md' }, true],
    [{ path: '/p/docs/a.md' }, true],
    [{ path: 'docs\\a.md' }, true],
    [{ path: 'docs' }, true],
    [{ path: 'docsy/a.md' }, false],
    [{ path: 'src/a.md' }, false],
    [{ path: 'docs/../src/a.md' }, false],
    [{ path: '/etc/passwd' }, false],
    [{ path: '/docs/a.md' }, false],
    [{ path: 'docs/a:b.md' }, true],
    [{ path: '/px/docs/a.md' }, false],
    [{ path: 'C:\\docs\\a.md' }, false],
    [{ path: 'c:docs/a.md' }, false],
    [{ paths: ['docs/a', 'docs/b'] }, true],
    [{ paths: ['docs/a', 'src/b'] }, false],
    [{ paths: [['docs/a'], ['src/b']] }, false],
    [{ source: 'docs/a', destination: 'docs/b' }, true],
    [{ source: 'docs/a', destination: 'src/b' }, false],
    // A write that names no path cannot be known to stay inside.
    [{}, false],
    [{ text: 'docs/a' }, false],
    [{ path: 3 }, false],
  ])('with only docs/: %j is allowed: %s', (args, allowed) => {
    expect(brokenConstraint([docs], args, '/p')).toBe(allowed ? null : docs);
    expect(brokenConstraint([docs], args, '/p/')).toBe(allowed ? null : docs);
  });

  it('read a prefix without a slash as one file; matching one of several is enough', () => {
    const file = only('CHANGELOG.md');
    expect(brokenConstraint([file], { path: 'CHANGELOG.md' }, '/p')).toBeNull();
    expect(brokenConstraint([file], { path: 'CHANGELOG.md/x' }, '/p')).toBe(file);
    expect(brokenConstraint([file, docs], { paths: ['docs/a', 'CHANGELOG.md'] }, '/p')).toBeNull();
    expect(brokenConstraint([file, docs], { path: 'src/a' }, '/p')).toBe(file);
  });
});

it('a path with the folder of the project is compared below it, also with backslashes', () => {
  expect(brokenConstraint([docs], { path: 'C:\\p\\docs\\a.md' }, 'C:\\p')).toBeNull();
  expect(brokenConstraint([docs], { path: 'C:\\docs\\a.md' }, 'C:\\p')).toBe(docs);
});
