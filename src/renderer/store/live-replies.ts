/** A piece of a streaming reply; `offset` is its position in the whole reply, in UTF-16 units. */
export interface ReplyDelta {
  readonly offset: number;
  readonly text: string;
}

/** A streaming reply: its text from the start, and deltas that arrived before their predecessors. */
export interface LiveReply {
  readonly text: string;
  readonly waiting: readonly ReplyDelta[];
}

export type LiveReplies = Readonly<Record<string, LiveReply>>;

export const liveKey = (sessionId: string, turn: number): string => `${sessionId}:${turn}`;

const emptyReply: LiveReply = { text: '', waiting: [] };

function joined(text: string, delta: ReplyDelta): string {
  const known = text.length - delta.offset;
  return known >= delta.text.length ? text : text + delta.text.slice(known);
}

function mergeWaiting(text: string, waiting: readonly ReplyDelta[]): LiveReply {
  let known = text;
  const early: ReplyDelta[] = [];
  for (const delta of [...waiting].sort((a, b) => a.offset - b.offset)) {
    if (delta.offset > known.length) early.push(delta);
    else known = joined(known, delta);
  }
  return { text: known, waiting: early };
}

/**
 * Adds one delta. A delta that begins beyond the known text waits, so the text never gets a gap or a
 * repetition.
 */
export function addDelta(reply: LiveReply | undefined, delta: ReplyDelta): LiveReply {
  const { text, waiting } = reply ?? emptyReply;
  if (delta.offset > text.length) return { text, waiting: [...waiting, delta] };
  const next = joined(text, delta);
  return waiting.length === 0 ? { text: next, waiting } : mergeWaiting(next, waiting);
}

/**
 * Merges the saved text into the reply. Saved text is a prefix of the whole reply, so the longer text wins.
 */
export function catchUp(reply: LiveReply, saved: string): LiveReply {
  return saved.length > reply.text.length ? mergeWaiting(saved, reply.waiting) : reply;
}
