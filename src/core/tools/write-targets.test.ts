import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/json';
import { changesTarget, effectOf, replacesTarget, takesPlaceOf, targetsOf } from './write-targets';

const write = 'mcp://filesystem.write_file';

describe('the targets of a write', () => {
  it('are its paths in one spelling, whichever file tool is called', () => {
    const plain = targetsOf(write, { path: 'docs/a.md', content: 'x' }, '/srv/p');
    expect(plain).toHaveLength(1);
    for (const path of ['./docs/a.md', 'docs//a.md', 'docs/b/../a.md', '/srv/p/docs/a.md'])
      expect(targetsOf('mcp://project.delete_file', { path }, '/srv/p')).toEqual(plain);
    for (const path of ['docs/a', 'a.md', '/docs/a.md', '../docs/a.md'])
      expect(targetsOf(write, { path }, '/srv/p')).not.toEqual(plain);
    const moved = targetsOf('mcp://filesystem.move_file', { source: 'b', destination: 'docs/a.md' }, null);
    expect(moved).toEqual(expect.arrayContaining([...targetsOf(write, { path: 'b' }, null), ...plain]));
  });

  it('are what the arguments of any other tool identify, for this tool alone', () => {
    const of = (tool: string, id: number) => targetsOf(tool, { id, state: 'open' }, null);
    expect(of('mcp://a.set', 5)).toEqual(targetsOf('mcp://a.set', { state: 'closed', id: 5 }, null));
    expect(of('mcp://a.set', 5)).not.toEqual(of('mcp://a.set', 6));
    expect(of('mcp://a.set', 5)).not.toEqual(of('mcp://b.set', 5));
    expect(targetsOf('mcp://a.set', {}, null)).toEqual([]);
    expect(targetsOf('mcp://a.set', { path: 'x'.repeat(2_000) }, null)).toEqual([]);
  });

  it('are replaced by file tools and by tools that a trusted server declares idempotent', () => {
    const idempotent = { trusted: true, annotations: { idempotentHint: true } };
    expect(replacesTarget(write)).toBe(true);
    expect(replacesTarget('mcp://a.set', idempotent)).toBe(true);
    expect(replacesTarget('mcp://a.set', { ...idempotent, trusted: false })).toBe(false);
    expect(replacesTarget('mcp://a.add_comment', { trusted: true, annotations: {} })).toBe(false);
    expect(replacesTarget('mcp://a.add_comment')).toBe(false);
  });

  it('are changed by a later write to them, and by a move of a folder that they are in', () => {
    const of = (path: string) => targetsOf(write, { path }, '/srv/p');
    const move = targetsOf('mcp://filesystem.move_file', { source: './docs/', destination: 'old' }, '/srv/p');
    for (const path of ['docs', 'docs/a.md', 'docs/deep/b.md', '/srv/p/docs/c.md', 'old'])
      expect([path, changesTarget(move, of(path))]).toEqual([path, true]);
    for (const path of ['docs.md', 'docs2/a.md', 'a/docs/b.md', 'old/a.md'])
      expect([path, changesTarget(move, of(path))]).toEqual([path, false]);
    expect(changesTarget(of('docs/a.md'), move)).toBe(false);
    expect(changesTarget(of('docs/a.md'), of('docs'))).toBe(false);
    const inner = targetsOf('mcp://filesystem.move_file', { source: 'docs/deep', destination: 'x' }, null);
    expect([changesTarget(move, inner), changesTarget(inner, move)]).toEqual([true, false]);
  });

  it('are set, removed, moved or edited by a write, as its arguments say', () => {
    const tools = ['write_file', 'create_directory', 'delete_file', 'move_file', 'edit_file'];
    expect(tools.map((tool) => effectOf(`mcp://filesystem.${tool}`, {}).kind)).toEqual([
      ...['set', 'set', 'remove', 'move', 'edit'],
    ]);
    expect(effectOf('mcp://a.set', {})).toEqual({ kind: 'set' });
    const edits = [{ oldText: 'a', newText: 'b' }];
    const broken = ['x', { oldText: 1, newText: '' }, { oldText: '', newText: 1 }];
    const effect = (args: Json) => effectOf('mcp://filesystem.edit_file', args);
    expect(effect({ edits: [...broken, ...edits] })).toEqual({ kind: 'edit', edits });
    for (const args of ['x', { edits: 'x' }]) expect(effect(args)).toEqual({ kind: 'edit', edits: [] });
  });

  it.each([
    ['what it wrote is changed', ['two', 'three'], true],
    ['a part of what it wrote is changed', ['w', ''], true],
    ['more than what it wrote is changed', ['is two.', 'is three.'], true],
    ['what it replaced is there again', ['c', 'c one'], true],
    ['something else is changed', ['c', 'd'], false],
  ] as const)('an edit is taken back when %s', (_when, [oldText, newText], is) => {
    const edits = [{ oldText: 'one', newText: 'two' }];
    const none = { kind: 'edit', edits: [] } as const;
    const newer = { kind: 'edit', edits: [{ oldText, newText }] } as const;
    expect(takesPlaceOf(newer, { kind: 'edit', edits })).toBe(is);
    expect([takesPlaceOf(none, newer), takesPlaceOf(newer, none)]).toEqual([false, false]);
    const removed = { kind: 'edit', edits: [{ oldText: 'one', newText: '' }] } as const;
    expect(takesPlaceOf(newer, removed)).toBe(newText === 'c one');
  });

  it('keep an edit when the file is moved, and a move when the file is changed', () => {
    const effects = {
      set: { kind: 'set' },
      remove: { kind: 'remove' },
      move: { kind: 'move' },
      edit: { kind: 'edit', edits: [] },
    } as const;
    const overtaking = (earlier: keyof typeof effects) =>
      Object.values(effects).flatMap((newer) => (takesPlaceOf(newer, effects[earlier]) ? [newer.kind] : []));
    expect(overtaking('set')).toEqual(['set', 'remove', 'move', 'edit']);
    expect(overtaking('move')).toEqual(['remove', 'move']);
    expect(overtaking('edit')).toEqual(['set', 'remove']);
  });
});
