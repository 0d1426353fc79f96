import { structuredPatch } from 'diff';
import type { FileChange, TextHunk } from '#shared/file-change';
import { isObject, type Json, type JsonObject } from '#shared/json';
import { isUndoableTool } from '#shared/undo';
import type { FileState, StoredFile } from '../ports/project-files';
import type { ToolDefinition } from '../ports/tool-definition';
import { utf8Length } from './call-record';
import { canonicalHash } from './canonical-hash';
import { editedText, withUnixLineEnds, type TextEdit } from './file-edits';

/** Reads a path of the project, with at most `maxBytes` of its content. */
export type ReadFile = (path: string, maxBytes: number) => Promise<FileState>;

/** A larger file is not compared: its size and first lines are shown instead. */
const maxComparedBytes = 512 * 1024;
/** A card keeps at most this many lines and characters of a difference. */
const maxLines = 1_000;
const maxCharacters = 100_000;
const firstLines = 20;
const contextLines = 3;
/** Texts that differ in more lines are shown as one replaced block, which costs nothing to compute. */
const maxEditLength = 300;

type TextChange = Extract<FileChange, { kind: 'text' }>;
type Line = TextHunk['lines'][number];

const lineKinds: Readonly<Record<string, Line['kind']>> = { '+': 'added', '-': 'removed', '\\': 'note' };

const lineOf = (raw: string): Line => ({ kind: lineKinds[raw[0] ?? ''] ?? 'same', text: raw.slice(1) });

/** Lines of a text without the empty one after its last line end. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** One block of removed and added lines between the equal beginning and the equal end. */
function replacedBlock(before: string, after: string): readonly TextHunk[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const lines: readonly Line[] = [
    ...old.slice(head, old.length - tail).map((text) => ({ kind: 'removed' as const, text })),
    ...now.slice(head, now.length - tail).map((text) => ({ kind: 'added' as const, text })),
  ];
  return [{ oldStart: head + 1, newStart: head + 1, lines: [...lines] }];
}

function hunksOf(before: string, after: string): readonly TextHunk[] {
  if (before === after) return [];
  const options = { context: contextLines, maxEditLength };
  const patch = structuredPatch('', '', before, after, '', '', options);
  if (!patch) return replacedBlock(before, after);
  return patch.hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    lines: lines.map(lineOf),
  }));
}

/** The first lines of the hunks, and how many changed lines are left out. */
function bounded(hunks: readonly TextHunk[]): { readonly hunks: TextHunk[]; readonly omitted: number } {
  let [lines, characters, omitted] = [maxLines, maxCharacters, 0];
  const shortened = hunks.map((hunk) => {
    const shown = hunk.lines.filter(({ kind, text }) => {
      lines -= 1;
      characters -= text.length;
      if (lines >= 0 && characters >= 0) return true;
      omitted += kind === 'added' || kind === 'removed' ? 1 : 0;
      return false;
    });
    return { ...hunk, lines: shown };
  });
  return { hunks: shortened.filter((hunk) => hunk.lines.length > 0), omitted };
}

function lineEndsOf(text: string): string | null {
  const unix = text.split('\n').length - 1;
  const windows = text.split('\r\n').length - 1;
  if (unix === 0) return null;
  if (windows === 0) return 'LF';
  return windows === unix ? 'CRLF' : 'mixed';
}

function textChange(path: string, hash: string, before: string | null, after: string): TextChange {
  const [old, now] = [before ?? '', after];
  const [endsBefore, endsAfter] = [lineEndsOf(old), lineEndsOf(now)];
  const endsChange = endsBefore !== null && endsAfter !== null && endsBefore !== endsAfter;
  const hunks = endsChange ? hunksOf(withUnixLineEnds(old), withUnixLineEnds(now)) : hunksOf(old, now);
  const count = (wanted: Line['kind']): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter(({ kind }) => kind === wanted).length, 0);
  return {
    kind: 'text',
    path,
    hash,
    exists: before !== null,
    added: count('added'),
    removed: count('removed'),
    ...bounded(hunks),
    ...(endsChange && { lineEnds: { before: endsBefore, after: endsAfter } }),
  };
}

/** A state without its content; equal states have equal hashes. */
function hashOf(...states: readonly FileState[]): string {
  return canonicalHash(
    states.map((state) => {
      if (state.kind === 'file') return { kind: state.kind, path: state.path, hash: state.hash };
      // A folder that is created meanwhile does not change what the user approved.
      if (state.kind === 'missing') return { kind: state.kind, path: state.path };
      return { ...state };
    }),
  );
}

const unknown = (path: string, hash: string, reason: string): FileChange => ({
  kind: 'unknown',
  path,
  hash,
  reason,
});

function replaced(file: StoredFile, hash: string, newBytes?: number): FileChange {
  const { path, bytes, text } = file;
  const why = text === null ? ('binary' as const) : ('large' as const);
  const first = linesOf(text ?? '')
    .slice(0, firstLines)
    .map((line) => line.slice(0, 200));
  return { kind: 'replaced', path, hash, why, bytes, first, ...(newBytes !== undefined && { newBytes }) };
}

const noFolderIn = (state: FileState): { readonly noFolder?: true } =>
  state.kind === 'missing' && state.noFolder ? { noFolder: true } : {};

function written(named: string, state: FileState, content: string): FileChange {
  const hash = hashOf(state);
  const size = utf8Length(content);
  switch (state.kind) {
    case 'unreadable':
      return unknown(named, hash, `the file cannot be shown: ${state.reason}`);
    case 'folder':
      return unknown(state.path, hash, 'the path is a folder, so the write will fail');
    case 'missing':
      return { ...textChange(state.path, hash, null, content), ...noFolderIn(state) };
    case 'file':
      if (state.text === null || !state.complete || size > maxComparedBytes)
        return replaced(state, hash, size);
      return textChange(state.path, hash, state.text, content);
  }
}

const isEdit = (value: Json): value is JsonObject & TextEdit =>
  isObject(value) && typeof value['oldText'] === 'string' && typeof value['newText'] === 'string';

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

function edited(named: string, state: FileState, edits: readonly TextEdit[]): FileChange {
  const hash = hashOf(state);
  if (state.kind !== 'file') return unknown(named, hash, `there is no such file, so the edit will fail`);
  const { path, text } = state;
  if (text === null) return replaced(state, hash);
  if (!state.complete) return unknown(path, hash, 'the file is too large to show the result of the edit');
  const result = editedText(text, edits);
  if (!result.ok) {
    const missing = shortened(result.error);
    return unknown(
      path,
      hash,
      `the file does not contain the text to replace, so the edit will fail: ${missing}`,
    );
  }
  return textChange(path, hash, text, result.value);
}

const pathOf = (state: FileState, named: string): string =>
  state.kind === 'unreadable' ? named : state.path;

function moved(named: string, from: FileState, to: FileState, destination: string): FileChange {
  const hash = hashOf(from, to);
  const path = pathOf(from, named);
  if (from.kind === 'unreadable' || to.kind === 'unreadable') {
    const { reason } = from.kind === 'unreadable' ? from : (to as Extract<FileState, { kind: 'unreadable' }>);
    return unknown(path, hash, `the move cannot be shown: ${reason}`);
  }
  if (from.kind === 'missing') return unknown(path, hash, 'there is no such file, so the move will fail');
  const taken = to.kind !== 'missing';
  const folder = from.kind === 'folder';
  return { kind: 'moved', path, hash, to: pathOf(to, destination), folder, taken, ...noFolderIn(to) };
}

/** The file that a call deletes, with its first lines. */
function deleted(named: string, state: FileState): FileChange {
  const hash = hashOf(state);
  switch (state.kind) {
    case 'unreadable':
      return unknown(named, hash, `the file cannot be shown: ${state.reason}`);
    case 'folder':
      return unknown(state.path, hash, 'the path is a folder, so the call will fail');
    case 'missing':
      return unknown(state.path, hash, 'there is no such file, so the call will fail');
    case 'file': {
      const { path, bytes, text } = state;
      const { hunks, omitted } = bounded(text ? replacedBlock(text, '') : []);
      const more = omitted > 0 || (text !== null && !state.complete);
      return { kind: 'deleted', path, hash, bytes, binary: text === null, hunks, more };
    }
  }
}

async function changeBy(tool: string, args: JsonObject, read: ReadFile): Promise<FileChange | null> {
  const { path, content, edits, source, destination } = args;
  if (tool === 'move_file' && typeof source === 'string' && typeof destination === 'string') {
    const [from, to] = await Promise.all([read(source, 0), read(destination, 0)]);
    return moved(source, from, to, destination);
  }
  if (typeof path !== 'string') return null;
  if (tool === 'create_directory') {
    const state = await read(path, 0);
    const hash = hashOf(state);
    if (state.kind === 'unreadable')
      return unknown(path, hash, `the folder cannot be shown: ${state.reason}`);
    if (state.kind === 'file') return unknown(path, hash, 'the path is a file, so the call will fail');
    return { kind: 'folder', path: state.path, hash, exists: state.kind === 'folder' };
  }
  if (tool === 'write_file' && typeof content === 'string') {
    return written(path, await read(path, maxComparedBytes), content);
  }
  if (tool === 'edit_file' && Array.isArray(edits)) {
    const all = (edits as readonly Json[]).filter(isEdit);
    return edited(path, await read(path, maxComparedBytes), all);
  }
  return null;
}

/**
 * What a call would change in the project; null for every tool but the bundled servers' `write_file`,
 * `edit_file`, `move_file`, `create_directory` and `delete_file`.
 */
export async function fileChangeOf(
  definition: Pick<ToolDefinition, 'bundled' | 'tool'> | undefined,
  args: JsonObject,
  read: ReadFile | undefined,
): Promise<FileChange | null> {
  if (!definition || !isUndoableTool(definition) || !read) return null;
  const { path } = args;
  if (definition.tool === 'delete_file')
    return typeof path === 'string' ? deleted(path, await read(path, maxComparedBytes)) : null;
  // The dry run of an edit writes nothing, so there is nothing to compare.
  if (definition.tool === 'edit_file' && args['dryRun'] === true) return null;
  return changeBy(definition.tool, args, read);
}
