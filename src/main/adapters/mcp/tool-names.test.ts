import type { Tool } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { defineTools } from './tool-definition';

const server = { name: 'x', version: '1', trusted: true };
const listed = (...names: string[]) =>
  defineTools(
    server,
    names.map((name): Tool => ({ name, inputSchema: { type: 'object' } })),
  );

describe('names of tools', () => {
  it.each([
    ['\u202egnp', '\\u{202e}gnp'],
    ['re\u200bad', 're\\u{200b}ad'],
    ['re\u00adad', 're\\u{ad}ad'],
    ['re\u{e0061}ad', 're\\u{e0061}ad'],
    ['\u0430', '\\u{430}'],
    ['re\u0430d', 're\\u{430}d'],
    ['\u03bf', '\\u{3bf}'],
    ['\uff41', '\\u{ff41}'],
    ['cafe\u0301', 'cafe\\u{301}'],
    ['a\u2215b', 'a\\u{2215}b'],
    ['a\u115f', 'a\\u{115f}'],
    ['a\u1160', 'a\\u{1160}'],
    ['\u1175', '\\u{1175}'],
    ['g\u3007', 'g\\u{3007}'],
    ['\u2e80', '\\u{2e80}'],
    ['../x', '../x'],
    ['..', '..'],
    ['a/../b', 'a/../b'],
    ['*', '*'],
    ['a?b=c', 'a?b=c'],
    ['a b', 'a b'],
    ['a\nb', 'a\\u{a}b'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['then', 'then'],
    ['toJSON', 'toJSON'],
    ['x'.repeat(129), 'x'.repeat(64)],
    ['', ''],
  ])('[MCP-names] %j is refused, and shown as %j', (name, shown) => {
    const { tools, refused } = listed(name);
    expect([...tools.keys()]).toEqual([]);
    expect(refused).toEqual([expect.stringContaining(`${shown} has a name`)]);
  });

  it('[MCP-names] that real servers use are accepted', () => {
    const names = [
      'read_file',
      'dash-ed.name',
      'github/list',
      'a.b.c',
      'v1:get',
      '1password',
      '検索',
      'ファイル_一覧',
      '파일',
      '時々',
      'データ_ページ',
    ];
    expect([...listed(...names).tools.keys()]).toEqual(names);
  });

  it('[MCP-names] that look alike: only the first is accepted, and the second is reported by its name', () => {
    const { tools, refused } = listed(
      'list_1',
      'list_l',
      'READ',
      'read',
      'R0',
      'RO',
      'burn',
      'bum',
      'fail',
      'fall',
      '入力',
      '入カ',
      'ぺージ',
      'ペ一ジ',
    );
    expect([...tools.keys()]).toEqual([
      'list_1',
      'READ',
      'read',
      'R0',
      'burn',
      'fail',
      'fall',
      '入力',
      'ぺージ',
    ]);
    expect(refused).toEqual([
      'list_l has a name that looks like list_1',
      'RO has a name that looks like R0',
      'bum has a name that looks like burn',
      '\\u{5165}\\u{30ab} has a name that looks like 入力',
      '\\u{30da}\\u{4e00}\\u{30b8} has a name that looks like ぺージ',
    ]);
  });

  it('[MCP-names] come with a description without invisible or direction characters', () => {
    const description = 'a\u202eb\u200bc\u061cd\u00ade\u{e0041}f\u2066g\u2028h';
    const tool: Tool = { name: 'ok', description, inputSchema: { type: 'object' } };
    expect(defineTools(server, [tool]).tools.get('ok')?.description).toBe('abcdefgh');
  });
});
