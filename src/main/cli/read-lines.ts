import type { Terminal } from './output';

/** Written where a text is expected: it comes from standard input. */
export const standardInput = '-';

/** Every line of standard input, to its end: the command line waits where the window must not. */
export async function readLines(terminal: Terminal): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let line = await terminal.readLine(''); line !== null; line = await terminal.readLine('')) {
    lines.push(line);
  }
  return lines;
}
