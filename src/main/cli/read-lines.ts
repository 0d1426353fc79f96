import type { Terminal } from './output';

/** Reads all lines of standard input: the command line may block here, the window may not. */
export async function readLines(terminal: Terminal): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let line = await terminal.readLine(''); line !== null; line = await terminal.readLine('')) {
    lines.push(line);
  }
  return lines;
}
