import { MAX_LINE_BYTES } from './line-port';

/** The messages of an event's only data line, if they are a batch; null for anything else. */
function batchIn(line: string): readonly unknown[] | null {
  const data = line.slice('data:'.length).trimStart();
  if (!data.startsWith('[')) return null;
  try {
    const value: unknown = JSON.parse(data);
    return Array.isArray(value) && value.length > 0 ? value : null;
  } catch {
    return null;
  }
}

/** The lines of an event, with one event for each message of a batch. The other fields belong to the first. */
function separated(lines: readonly string[]): readonly string[] {
  const data = lines.filter((line) => line.startsWith('data:'));
  const [only = ''] = data;
  const batch = data.length === 1 ? batchIn(only) : null;
  if (batch === null) return [...lines, ''];
  const fields = lines.filter((line) => line !== only);
  return [...fields, ...batch.flatMap((message) => [`data: ${JSON.stringify(message)}`, ''])];
}

const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/**
 * Splits the events of a stream whose data is a batch, which an earlier protocol version allowed: the client
 * reads one message from each event, and drops a batch. Passes on everything else as it is; the stream fails
 * when an event exceeds the bound of a line.
 */
export function separateBatches(): TransformStream<string, string> {
  let line: string[] = [];
  let event: string[] = [];
  let size = 0;
  let afterReturn = false;
  const take = (part: string): void => {
    line.push(part);
    size += part.length;
  };
  const endLine = (): string => {
    const ended = line.join('');
    line = [];
    // A comment ends no event, and may be all that a quiet stream sends.
    if (ended.startsWith(':')) {
      size -= ended.length;
      return toText([ended]);
    }
    if (ended !== '') {
      event.push(ended);
      return '';
    }
    const lines = separated(event);
    event = [];
    size = 0;
    return toText(lines);
  };
  return new TransformStream({
    transform(chunk, controller) {
      const text = afterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
      if (chunk !== '') afterReturn = chunk.endsWith('\r');
      const [first = '', ...more] = text.split(/\r\n|\r|\n/);
      take(first);
      let out = '';
      for (const start of more) {
        out += endLine();
        take(start);
      }
      if (out !== '') controller.enqueue(out);
      if (size > MAX_LINE_BYTES) controller.error(new Error(`An event is over ${MAX_LINE_BYTES} bytes.`));
    },
    flush(controller) {
      controller.enqueue(toText(event) + line.join(''));
    },
  });
}
