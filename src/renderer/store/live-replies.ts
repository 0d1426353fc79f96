/** Text of a reply on its way; `offset` is its place in the whole reply, in UTF-16 units. */
export interface ReplyDelta {
  readonly offset: number;
  readonly text: string;
}

/** A reply still being written: its text from the start, and deltas that came before what they continue. */
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

/** The reply after one more delta. One that begins beyond the known text waits: text never gets a hole or a repeat. */
export function addDelta(reply: LiveReply | undefined, delta: ReplyDelta): LiveReply {
  const { text, waiting } = reply ?? emptyReply;
  if (delta.offset > text.length) return { text, waiting: [...waiting, delta] };
  const next = joined(text, delta);
  return waiting.length === 0 ? { text: next, waiting } : mergeWaiting(next, waiting);
}

/** The reply once its saved text is known; saved text is a beginning of the whole, so the longer one wins. */
export function catchUp(reply: LiveReply, saved: string): LiveReply {
  return saved.length > reply.text.length ? mergeWaiting(saved, reply.waiting) : reply;
}
