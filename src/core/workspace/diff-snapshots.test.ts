import { describe, expect, it } from 'vitest';
import { diffSnapshots, type DiffSide } from './diff-snapshots';
import type { Snapshot } from './snapshots';
import type { ToolCatalog } from './workspace-content';

/** A side with these texts; the hash function of their bytes does not matter here. */
function side(texts: Readonly<Record<string, string>>, catalogs: readonly ToolCatalog[] = []): DiffSide {
  const entries = Object.entries(texts);
  const snapshot: Snapshot = {
    hash: 'a'.repeat(64),
    files: entries.map(([path, text]) => ({ path, size: text.length, sha256: text })),
    content: {
      legacy: false,
      packs: new Map(),
      catalogs: new Map(catalogs.map((catalog) => [catalog.id, catalog])),
      defaults: { promptPack: null, toolCatalog: 'default' },
      warnings: [],
    },
  };
  const files = new Map(entries.map(([path, text]) => [path, new TextEncoder().encode(text)]));
  return { snapshot, files };
}

const many = (count: number, word: string): string =>
  Array.from({ length: count }, (_, n) => `${word} ${n}\n`).join('');

const linesIn = (diff: ReturnType<typeof diffSnapshots>, at: number) =>
  diff.files[at]?.hunks.flatMap(({ lines }) => lines) ?? [];

describe('the difference of two snapshots', () => {
  it('[P3-W-diff] shows an entirely different text in full, first the old one and then the new one', () => {
    const diff = diffSnapshots(side({ 'a.md': many(3_000, 'old') }), side({ 'a.md': many(3_000, 'new') }));
    const lines = linesIn(diff, 0);
    expect(diff.files).toMatchObject([{ path: 'a.md', change: 'changed' }]);
    expect(lines).toHaveLength(6_000);
    expect(lines.slice(0, 3_000).every(({ kind }) => kind === 'removed')).toBe(true);
    expect(lines[3_000]).toEqual({ kind: 'added', text: 'new 0' });
  });

  it('[P3-W-diff] contains all lines of a long text that was added or removed', () => {
    const text = many(5_000, 'line');
    expect(linesIn(diffSnapshots(side({}), side({ 'a.md': text })), 0)).toHaveLength(5_000);
    const gone = linesIn(diffSnapshots(side({ 'a.md': text }), side({})), 0);
    expect(gone.at(-1)).toEqual({ kind: 'removed', text: 'line 4999' });
  });

  it('[P3-W-diff] compares hundreds of texts within the total time limit, and omits none', () => {
    const texts = (word: string) =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [`${n}.md`, `same\n${many(400, word)}same too\n`]),
      );
    const diff = diffSnapshots(side(texts('old')), side(texts('new')));
    expect(diff.files).toHaveLength(60);
    const shared = diff.files.filter((_, at) => linesIn(diff, at).some(({ kind }) => kind === 'same'));
    expect(shared.length).toBeGreaterThan(0);
    expect(shared.length).toBeLessThan(60);
    for (let at = 0; at < 60; at += 1) {
      expect(linesIn(diff, at).filter(({ kind }) => kind === 'added').length).toBeGreaterThanOrEqual(400);
    }
  });

  it('[P3-W-diff] shows a change of line endings alone, and no lines for an image', () => {
    const diff = diffSnapshots(
      side({ 'a.md': 'one\n', 'b.png': 'x' }),
      side({ 'a.md': 'one', 'b.png': 'y' }),
    );
    expect(linesIn(diff, 0).map(({ kind }) => kind)).toEqual(['removed', 'added']);
    expect(diff.files[1]).toMatchObject({ path: 'b.png', hunks: [] });
  });
});
