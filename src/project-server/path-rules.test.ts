import { describe, expect, it } from 'vitest';
import { relativeToRoot } from './path-rules';

describe('a path as text, resolved against the root', () => {
  it.each([
    ['', ''],
    ['.', ''],
    ['./docs/', 'docs'],
    ['docs//a.txt', 'docs/a.txt'],
    ['docs/../b', 'b'],
    ['/home/p/docs', 'docs'],
    ['..docs/a', '..docs/a'],
    ['a:b', 'a:b'],
    ['aux.c', 'aux.c'],
    ['a\\b', 'a\\b'],
  ])('on POSIX, %j is %j', (text, relative) => {
    expect(relativeToRoot(text, '/home/p', 'linux')).toEqual({ ok: true, value: relative });
  });

  it.each([
    '..',
    '../x',
    'docs/../../x',
    '/',
    '/etc/passwd',
    '/home/pp/x',
    '/home',
    'a\0b',
    'x'.repeat(5_000),
  ])('on POSIX, %j is refused', (text) => {
    expect(relativeToRoot(text, '/home/p', 'linux')).toMatchObject({
      ok: false,
      error: { kind: 'TOOL', code: 'INVALID_ARGUMENTS' },
    });
  });

  it.each([
    ['docs\\a.txt', 'docs/a.txt'],
    ['C:\\P\\docs', 'docs'],
    ['c:/p/docs', 'docs'],
    ['console.log', 'console.log'],
  ])('on Windows, %j is %j', (text, relative) => {
    expect(relativeToRoot(text, 'C:\\P', 'win32')).toEqual({ ok: true, value: relative });
  });

  it.each([
    ['..\\x', 'outside'],
    ['D:\\x', 'outside'],
    ['\\Windows', 'outside'],
    ['CON', 'device'],
    ['docs/aux.txt', 'device'],
    ['nul', 'device'],
    ['COM1.log', 'device'],
    ['conin$', 'device'],
    ['a.txt:stream', 'stream'],
    ['D:x', 'drive-relative'],
    ['\\\\server\\share', 'network'],
    ['\\\\?\\C:\\P\\a', 'network'],
    ['//server/share', 'network'],
    ['a./b', 'dot or a space'],
    ['b ', 'dot or a space'],
  ])('on Windows, %j is refused', (text, why) => {
    const result = relativeToRoot(text, 'C:\\P', 'win32');
    expect(result.ok ? result.value : result.error.message).toContain(why);
    expect(result.ok).toBe(false);
  });
});
