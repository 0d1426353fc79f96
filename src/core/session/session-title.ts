import type { SessionFact } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';

const maxTitleLength = 60;

/** What a command's line names its session, while nothing else has; the first line for a model then names it anew. */
export function titleByCommand(state: SessionState, text: string): SessionFact[] {
  return state.title === '' ? renamed(titleFrom(text)) : [];
}

/** What a line for a model names its session: what the session talks about, unless the user said. */
export function titleByLine(state: SessionState, text: string): SessionFact[] {
  const first = turnAt(state, 0);
  // By how it was routed: a line that waits for its model has no reply yet either.
  const command = first?.route !== undefined && first.route.action.type !== 'continue-with-llm';
  const untitled = state.title === '' || (command && state.title === titleFrom(first.text));
  return untitled ? renamed(titleFrom(text)) : [];
}

function renamed(title: string): SessionFact[] {
  return title === '' ? [] : [{ type: 'session-renamed', title }];
}

/** A session's title from its first line of input: at most 60 characters, cut at a word's end. Pure. */
export function titleFrom(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? '';
  const plain = line.replaceAll(/\s+/g, ' ').trim();
  const characters = [...plain];
  if (characters.length <= maxTitleLength) return plain;
  const cut = characters.slice(0, maxTitleLength - 1).join('');
  const wordEnd = cut.lastIndexOf(' ');
  // A single long word (an address, a hash) has no word's end worth going back to.
  return `${(wordEnd > maxTitleLength / 2 ? cut.slice(0, wordEnd) : cut).trimEnd()}…`;
}
