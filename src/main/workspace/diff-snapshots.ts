import { structuredPatch } from 'diff';
import { canonicalJson } from '#shared/json';
import type { SnapshotDiff, SnapshotDiffHunk, SnapshotFileDiff } from '#shared/workspace-call';
import type { SnapshotFiles } from '../ports/snapshot-store';
import { textOf } from './parse-file';
import { isImage } from './references';
import type { Snapshot } from './snapshots';
import type { ToolCatalog } from './workspace-content';

/** One side of a comparison; null: there is nothing there. */
export interface DiffSide {
  readonly snapshot: Snapshot;
  readonly files: SnapshotFiles;
}

/** Texts that differ more than this are not compared by line. */
const mostEdits = 2_000;
const kinds = { ' ': 'same', '+': 'added', '-': 'removed' } as const;

function hunksOf(before: string, after: string): readonly SnapshotDiffHunk[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: 3,
    maxEditLength: mostEdits,
  });
  return (patch?.hunks ?? []).map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    lines: lines.flatMap((line) => {
      const kind = kinds[line[0] as keyof typeof kinds];
      return kind ? [{ kind, text: line.slice(1) }] : [];
    }),
  }));
}

function textIn(side: DiffSide | null, path: string): string {
  const bytes = side?.files.get(path);
  const text = bytes ? textOf(path, bytes) : null;
  return text?.ok ? text.value : '';
}

const same = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

/** What a file is for, by the packs that name it. */
function kindOf(side: DiffSide | null, path: string): SnapshotFileDiff['kind'] {
  const packs = [...(side?.snapshot.content.packs.values() ?? [])];
  if (packs.some(({ templates }) => templates.some((each) => each.path === path))) return 'prompt';
  return packs.some(({ context }) => context.some((each) => each.path === path)) ? 'context' : 'definition';
}

function diffFile(from: DiffSide | null, to: DiffSide | null, path: string): SnapshotDiff['files'] {
  const before = from?.files.get(path);
  const after = to?.files.get(path);
  if (before && after && same(before, after)) return [];
  const change = before ? (after ? 'changed' : 'removed') : 'added';
  const hunks = isImage(path) ? [] : hunksOf(textIn(from, path), textIn(to, path));
  return [{ path, change, kind: kindOf(after ? to : from, path), hunks }];
}

/** A descriptor as it is compared: its words line by line, its schema with keys in one order. */
function descriptorText(catalog: ToolCatalog | undefined, tool: string): string {
  const found = catalog?.descriptors.find(({ name }) => name === tool);
  if (!found) return '';
  const parameters: unknown = JSON.parse(canonicalJson(found.parameters));
  return `${found.description}\n\n${JSON.stringify(parameters, null, 2)}\n`;
}

function diffDescriptors(from: ToolCatalog | undefined, to: ToolCatalog | undefined) {
  const names = [from, to].flatMap((catalog) => catalog?.descriptors.map(({ name }) => name) ?? []);
  return [...new Set(names)].flatMap((tool) => {
    const hunks = hunksOf(descriptorText(from, tool), descriptorText(to, tool));
    return hunks.length === 0 ? [] : [{ tool, hunks }];
  });
}

function diffCatalog(id: string, from: ToolCatalog | undefined, to: ToolCatalog | undefined) {
  const before = new Set(from?.tools);
  const after = new Set(to?.tools);
  const described = (catalog: ToolCatalog | undefined, tool: string): string =>
    canonicalJson(catalog?.descriptors.find(({ name }) => name === tool) ?? null);
  return {
    id,
    added: [...after].filter((tool) => !before.has(tool)),
    removed: [...before].filter((tool) => !after.has(tool)),
    changed: [...after].filter((tool) => before.has(tool) && described(from, tool) !== described(to, tool)),
    descriptors: diffDescriptors(from, to),
  };
}

const union = (a: Iterable<string>, b: Iterable<string>): readonly string[] =>
  [...new Set([...a, ...b])].sort();

interface Side {
  readonly hash: string | null;
  readonly paths: readonly string[];
  readonly catalogs: ReadonlyMap<string, ToolCatalog>;
}

const read = (side: DiffSide | null): Side =>
  side
    ? {
        hash: side.snapshot.hash,
        paths: [...side.files.keys()],
        catalogs: side.snapshot.content.catalogs,
      }
    : { hash: null, paths: [], catalogs: new Map() };

/** What differs between two snapshots. Pure. */
export function diffSnapshots(from: DiffSide | null, to: DiffSide | null): SnapshotDiff {
  const [before, after] = [read(from), read(to)];
  return {
    from: before.hash,
    to: after.hash,
    files: union(before.paths, after.paths).flatMap((path) => diffFile(from, to, path)),
    catalogs: union(before.catalogs.keys(), after.catalogs.keys())
      .map((id) => diffCatalog(id, before.catalogs.get(id), after.catalogs.get(id)))
      .filter(({ added, removed, changed }) => added.length + removed.length + changed.length > 0),
  };
}
