const NEWLINE = 0x0a;

/**
 * Splits a byte stream into lines of text, in linear time however the chunks are cut. A line over `maxBytes`
 * calls `overflow` once and stops the splitter.
 */
export function createLineSplitter(
  maxBytes: number,
  line: (text: string) => void,
  overflow: () => void,
): (chunk: Uint8Array) => void {
  let buffered: Uint8Array[] = [];
  let heldBytes = 0;
  let stopped = false;

  const append = (piece: Uint8Array): void => {
    heldBytes += piece.length;
    if (heldBytes > maxBytes) {
      stopped = true;
      buffered = [];
      overflow();
    } else if (piece.length > 0) buffered.push(piece);
  };

  return (chunk) => {
    let from = 0;
    while (!stopped) {
      const end = chunk.indexOf(NEWLINE, from);
      append(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1 || stopped) return;
      const text = Buffer.concat(buffered, heldBytes).toString('utf8');
      buffered = [];
      heldBytes = 0;
      from = end + 1;
      line(text.endsWith('\r') ? text.slice(0, -1) : text);
    }
  };
}
