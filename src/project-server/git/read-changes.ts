/** One file two states differ in; lines are null for a binary file. */
export interface FileChange {
  readonly path: string;
  readonly from?: string;
  readonly change: string;
  readonly added: number | null;
  readonly removed: number | null;
}

const CHANGES: Readonly<Record<string, string>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type-changed',
  U: 'unmerged',
};

/** Reads what `git diff --raw --numstat -z` gives: first a state for each file, then, in the same order, its counts. */
export function readChanges(fields: readonly string[]): FileChange[] {
  const counts = new Map<string, Pick<FileChange, 'added' | 'removed'>>();
  const states: Pick<FileChange, 'path' | 'from' | 'change'>[] = [];
  let at = 0;
  const next = (): string => fields[at++] ?? '';
  while (at < fields.length) {
    const field = next();
    if (field.startsWith(':')) states.push(stateOf(field, next));
    else readCount(field, next, counts);
  }
  return states.map((state) => ({ ...state, ...(counts.get(state.path) ?? { added: null, removed: null }) }));
}

function stateOf(field: string, next: () => string): Pick<FileChange, 'path' | 'from' | 'change'> {
  const letter = field.slice(field.lastIndexOf(' ') + 1, field.lastIndexOf(' ') + 2);
  const change = CHANGES[letter] ?? 'modified';
  const first = next();
  return letter === 'R' || letter === 'C' ? { change, from: first, path: next() } : { change, path: first };
}

/** `added TAB removed TAB path`; for a rename the path is empty and the old and the new one follow. */
function readCount(
  field: string,
  next: () => string,
  counts: Map<string, Pick<FileChange, 'added' | 'removed'>>,
): void {
  const [added = '-', removed = '-', ...rest] = field.split('\t');
  const inline = rest.join('\t');
  if (inline === '') next();
  const path = inline === '' ? next() : inline;
  counts.set(path, { added: countOf(added), removed: countOf(removed) });
}

function countOf(text: string): number | null {
  return text === '-' ? null : Number(text);
}
