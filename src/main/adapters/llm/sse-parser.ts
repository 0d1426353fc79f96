/** Data of the events that are complete, in order; `tooLong` when a line or an event passed the limit. */
export interface SseData {
  readonly events: readonly string[];
  readonly tooLong: boolean;
}

/** The pieces of one text still waiting for its end; joined once, so that a long line costs linear time. */
function createPieces() {
  let pieces: string[] = [];
  let length = 0;
  return {
    add(piece: string): void {
      pieces.push(piece);
      length += piece.length;
    },
    length: () => length,
    take(separator: string): string {
      const text = pieces.join(separator);
      pieces = [];
      length = 0;
      return text;
    },
    isEmpty: () => pieces.length === 0,
  };
}

/**
 * Server-sent events, fed in any pieces (WHATWG HTML §9.2.6), reduced to their data: event names, ids and comments mean nothing
 * to chat completions. `limit` bounds one event in UTF-16 units. `end` also gives a last event that no blank line closed.
 */
export function createSseParser(limit: number) {
  const line = createPieces();
  const data = createPieces();
  let events: string[] = [];
  let afterCarriageReturn = false;

  const closeLine = (): void => {
    const text = line.take('');
    if (text === '') {
      if (!data.isEmpty()) events.push(data.take('\n'));
      return;
    }
    if (text === 'data') data.add('');
    else if (text.startsWith('data:')) data.add(text.slice(text.startsWith('data: ') ? 6 : 5));
  };
  const given = (): SseData => {
    const complete = events;
    events = [];
    return { events: complete, tooLong: line.length() > limit || data.length() > limit };
  };
  const push = (chunk: string): SseData => {
    const text = afterCarriageReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    if (chunk !== '') afterCarriageReturn = chunk.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    line.add(first);
    for (const other of others) {
      closeLine();
      line.add(other);
    }
    return given();
  };
  const end = (): SseData => {
    closeLine();
    closeLine();
    return given();
  };
  return { push, end };
}
