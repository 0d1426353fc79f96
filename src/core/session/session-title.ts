import type { SessionFact } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';

export const maxTitleLength = 60;

/** Titles an untitled session after a command line; the first line sent to a model replaces that title. */
export function titleByCommand(state: SessionState, text: string): SessionFact[] {
  return state.title === '' ? renamed(titleFrom(text)) : [];
}

/** Titles a session after a line sent to a model, unless the user has named the session. */
export function titleByLine(state: SessionState, text: string): SessionFact[] {
  const first = turnAt(state, 0);
  // Checks the route and not the reply: a line that waits for its model has no reply yet either.
  const command = first?.route !== undefined && first.route.action.type !== 'continue-with-llm';
  const untitled = state.title === '' || (command && state.title === titleFrom(first.text));
  return untitled ? renamed(titleFrom(text)) : [];
}

function renamed(title: string): SessionFact[] {
  return title === '' ? [] : [{ type: 'session-renamed', title }];
}

/** A session title from the first line with words: at most 60 characters, cut at a word boundary. Pure. */
export function titleFrom(text: string): string {
  const lines = text.trim().split(/\r?\n/, 20);
  // A pasted file or code block begins with a line of marks.
  const line =
    lines.find((each) => /[\p{L}\p{N}]/u.test(each) && !/^\s*(```|~~~)/.test(each)) ?? lines[0] ?? '';
  const plain = line.replaceAll(/\s+/g, ' ').trim();
  const characters = [...plain];
  if (characters.length <= maxTitleLength) return plain;
  const cut = characters.slice(0, maxTitleLength - 1).join('');
  const lastSpace = cut.lastIndexOf(' ');
  // In a single long word (an address, a hash) there is no word boundary worth cutting at.
  return `${(lastSpace > maxTitleLength / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`;
}
