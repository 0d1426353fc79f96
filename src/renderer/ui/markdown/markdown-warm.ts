import { runWhenIdle } from './code-idle';
import { lexBlocks, lexInline } from './markdown-parse';

/** By how far the grammar has to look until it knows what it reads: each compiles a few rules more than the one before. */
const samples = [
  '\n',
  '    code\n',
  '```ts\ncode\n```\n',
  '# heading\n',
  '---\n',
  '> quote\n',
  '- one\n- two\n',
  '<b>html</b>\n',
  '[label]: https://example.org\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n',
  'heading\n=======\n',
  'A paragraph.\n\nAnother one.\n',
  '$$\nx\n$$\n',
];

const runs = ['\\*', '`code`', '[a link](https://example.org)', '**strong** and *soft*', '~~out~~ $x$ plain'];

/**
 * Reads one small text of each kind when the window is idle, twice, as the engine compiles an expression for good at its
 * second use: else the first reply of a window would pay for the whole grammar in one frame.
 */
export function warmMarkdown(): void {
  const twice = (read: () => unknown) => () => [read(), read()];
  for (const text of samples) runWhenIdle(twice(() => lexBlocks(text)));
  for (const text of runs) runWhenIdle(twice(() => lexInline(text, {})));
}
