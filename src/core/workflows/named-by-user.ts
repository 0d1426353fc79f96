import type { SessionState } from '#shared/session-state';
import { headTurn } from '#shared/turn-tree';

/** Whether the user's own last line contains a workflow's exact id (TUL-006 §7.8). */
export type NamedByUser = (workflowId: string) => boolean;

const wordCharacter = /[A-Za-z0-9_]/;

/** Whether a text contains an id as a separate word, with exact case. */
export function mentionsId(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + id.length] ?? ' ';
    if (!wordCharacter.test(before) && !wordCharacter.test(after)) return true;
  }
  return false;
}

/** Checks ids against the user's own last line; a model's words never count (TUL-006 §7.8, §8.6). */
export function namedInLastLine(state: SessionState | null): NamedByUser {
  const text = (state && headTurn(state)?.text) ?? '';
  return (workflowId) => mentionsId(text, workflowId);
}
