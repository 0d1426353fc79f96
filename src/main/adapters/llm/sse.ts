/** Data of the complete events, in order; `tooLong` when a line or an event exceeded the limit. */
export interface SseData {
  readonly events: readonly string[];
  readonly tooLong: boolean;
}

/**
 * Parses server-sent events from any chunks (WHATWG HTML §9.2.6) and returns only their data: every protocol
 * here repeats the event's name in its data, and none needs ids or comments. `limit` bounds one event in
 * UTF-16 units. `end` also returns a last event that no blank line closed.
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
  const taken = (): SseData => {
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
    return taken();
  };
  const end = (): SseData => {
    closeLine();
    closeLine();
    return taken();
  };
  return { push, end };
}

/** The chunks of an unfinished text; joined once, so that a long line costs linear time. */
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
