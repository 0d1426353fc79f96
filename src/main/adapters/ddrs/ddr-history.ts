import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../system/atomic-file';
import { ownFolder, readText } from './safe-files';

/** Maximum number of earlier versions of one document, besides the newest approved one. */
const maxVersions = 50;

const folderOf = (folder: string, id: string): string => path.join(folder, '.history', id);

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => /^(\d{1,9})\.md$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

/** Saves a document's text before a change, and its newest approved text. Throws file system errors. */
export function saveEarlierVersions(
  folder: string,
  id: string,
  previous: string | null,
  approved: string | null,
): void {
  if (previous === null && approved === null) return;
  ownFolder(path.join(folder, '.history'));
  const own = ownFolder(folderOf(folder, id));
  if (approved !== null) writeFileAtomic(path.join(own, 'approved.md'), approved);
  if (previous === null) return;
  const numbers = numbersIn(own);
  writeFileAtomic(path.join(own, `${(numbers.at(-1) ?? 0) + 1}.md`), previous);
  for (const old of numbers.slice(0, Math.max(0, numbers.length + 1 - maxVersions))) {
    rmSync(path.join(own, `${old}.md`), { force: true });
  }
}

function textAt(file: string): string | null {
  const read = readText(file);
  return read.ok ? read.value : null;
}

/**
 * Returns an earlier text, or null when there is none or it cannot be read: the history is a convenience,
 * never the source of truth.
 */
export function earlierText(
  folder: string,
  id: string,
  which: 'approved' | 'previous',
  differs: (text: string) => boolean,
): string | null {
  const own = folderOf(folder, id);
  if (which === 'approved') return textAt(path.join(own, 'approved.md'));
  for (const number of [...numbersIn(own)].reverse()) {
    const text = textAt(path.join(own, `${number}.md`));
    if (text !== null && differs(text)) return text;
  }
  return null;
}
