import { canonicalJson } from '#shared/json';
import type { SnapshotDiff, SnapshotDiffHunk, SnapshotFileDiff } from '#shared/workspace-call';
import type { SnapshotFiles } from '../ports/snapshot-store';
import { compareLines, maxEdits, wholeTexts } from '../tools/line-diff';
import { textOf } from './parse-file';
import { isImage } from './references';
import type { Snapshot } from './snapshots';
import type { ToolCatalog } from './workspace-content';

/** One side of a comparison; null stands for an empty side. */
export interface DiffSide {
  readonly snapshot: Snapshot;
  readonly files: SnapshotFiles;
}

/** Maximum edits for all texts of a comparison, which blocks all other work. */
const maxTotalEdits = 20_000;
type Compare = (before: string, after: string) => readonly SnapshotDiffHunk[];

/** Compares texts by line, one after another, until the edit budget is used up. */
function createCompare(): Compare {
  let left = maxTotalEdits;
  return (before, after) => {
    if (before === after) return [];
    const limit = Math.min(maxEdits, left);
    const hunks = before === '' || after === '' ? undefined : compareLines(before, after, { limit });
    if (!hunks) {
      if (before !== '' && after !== '') left -= limit;
      return [wholeTexts(before, after)];
    }
    left -= hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind !== 'same').length;
    return hunks;
  };
}

function textIn(side: Pick<DiffSide, 'files'> | null, path: string): string {
  const bytes = side?.files.get(path);
  const text = bytes ? textOf(path, bytes) : null;
  return text?.ok ? text.value : '';
}

/** The purpose of a file, according to the packs that name it. */
function kindOf(side: DiffSide | null, path: string): SnapshotFileDiff['kind'] {
  const packs = [...(side?.snapshot.content.packs.values() ?? [])];
  if (packs.some(({ templates }) => templates.some((each) => each.path === path))) return 'prompt';
  return packs.some(({ context }) => context.some((each) => each.path === path)) ? 'context' : 'definition';
}

/** The two sides of a comparison, and the function that compares within the edit budget. */
interface Sides {
  readonly from: DiffSide | null;
  readonly to: DiffSide | null;
  readonly compare: Compare;
}

const changeOf = (before: boolean, after: boolean): SnapshotFileDiff['change'] => {
  if (before && after) return 'changed';
  return before ? 'removed' : 'added';
};

function diffFile({ from, to, compare }: Sides, path: string): SnapshotFileDiff {
  const change = changeOf(from?.files.has(path) ?? false, to?.files.has(path) ?? false);
  const hunks = isImage(path) ? [] : compare(textIn(from, path), textIn(to, path));
  return { path, change, kind: kindOf(to?.files.has(path) ? to : from, path), hunks };
}

/** A descriptor as text for comparison: its description by line, and its schema with sorted keys. */
function descriptorText(catalog: ToolCatalog | undefined, tool: string): string {
  const found = catalog?.descriptors.find(({ name }) => name === tool);
  if (!found) return '';
  const parameters: unknown = JSON.parse(canonicalJson(found.parameters));
  return `${found.description}\n\n${JSON.stringify(parameters, null, 2)}\n`;
}

interface Catalogs {
  readonly from: ToolCatalog | undefined;
  readonly to: ToolCatalog | undefined;
  readonly compare: Compare;
}

function diffDescriptors({ from, to, compare }: Catalogs) {
  const names = [from, to].flatMap((catalog) => catalog?.descriptors.map(({ name }) => name) ?? []);
  return [...new Set(names)].flatMap((tool) => {
    const hunks = compare(descriptorText(from, tool), descriptorText(to, tool));
    return hunks.length === 0 ? [] : [{ tool, hunks }];
  });
}

function diffCatalog(id: string, catalogs: Catalogs) {
  const { from, to } = catalogs;
  const before = new Set(from?.tools);
  const after = new Set(to?.tools);
  const described = (catalog: ToolCatalog | undefined, tool: string): string =>
    canonicalJson(catalog?.descriptors.find(({ name }) => name === tool) ?? null);
  return {
    id,
    added: [...after].filter((tool) => !before.has(tool)),
    removed: [...before].filter((tool) => !after.has(tool)),
    changed: [...after].filter((tool) => before.has(tool) && described(from, tool) !== described(to, tool)),
    descriptors: diffDescriptors(catalogs),
  };
}

const union = (a: Iterable<string>, b: Iterable<string>): readonly string[] =>
  [...new Set([...a, ...b])].sort();

interface Side {
  readonly hash: string | null;
  readonly digests: ReadonlyMap<string, string>;
  readonly catalogs: ReadonlyMap<string, ToolCatalog>;
}

const read = (side: DiffSide | null): Side =>
  side
    ? {
        hash: side.snapshot.hash,
        digests: new Map(side.snapshot.files.map(({ path, sha256 }) => [path, sha256])),
        catalogs: side.snapshot.content.catalogs,
      }
    : { hash: null, digests: new Map(), catalogs: new Map() };

/** Compares texts by their paths; equal ones are left out. Pure. */
export function diffTexts(from: SnapshotFiles, to: SnapshotFiles): readonly Omit<SnapshotFileDiff, 'kind'>[] {
  const compare = createCompare();
  return union(from.keys(), to.keys()).flatMap((path) => {
    const hunks = compare(textIn({ files: from }, path), textIn({ files: to }, path));
    return hunks.length === 0 ? [] : [{ path, change: changeOf(from.has(path), to.has(path)), hunks }];
  });
}

/** Compares two snapshots. Pure. */
export function diffSnapshots(from: DiffSide | null, to: DiffSide | null): SnapshotDiff {
  const [before, after] = [read(from), read(to)];
  const compare = createCompare();
  return {
    from: before.hash,
    to: after.hash,
    files: union(before.digests.keys(), after.digests.keys())
      .filter((path) => before.digests.get(path) !== after.digests.get(path))
      .map((path) => diffFile({ from, to, compare }, path)),
    catalogs: union(before.catalogs.keys(), after.catalogs.keys())
      .map((id) => diffCatalog(id, { from: before.catalogs.get(id), to: after.catalogs.get(id), compare }))
      .filter(({ added, removed, changed }) => added.length + removed.length + changed.length > 0),
  };
}
