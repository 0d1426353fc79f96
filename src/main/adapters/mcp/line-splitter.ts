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
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let stopped = false;

  const hold = (piece: Uint8Array): void => {
    heldBytes += piece.length;
    if (heldBytes > maxBytes) {
      stopped = true;
      held = [];
      overflow();
    } else if (piece.length > 0) held.push(piece);
  };

  return (chunk) => {
    let from = 0;
    while (!stopped) {
      const end = chunk.indexOf(NEWLINE, from);
      hold(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1 || stopped) return;
      const text = Buffer.concat(held, heldBytes).toString('utf8');
      held = [];
      heldBytes = 0;
      from = end + 1;
      line(text.endsWith('\r') ? text.slice(0, -1) : text);
    }
  };
}
