import { runWhenIdle } from './code-idle';
import { lexBlocks, lexInline } from '#shared/markdown/parse';

/**
 * Ordered by how far the grammar must look ahead: each sample compiles a few more rules than the one before.
 */
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
 * Parses a small sample of each kind when the window is idle, twice, because the engine fully compiles a
 * regular expression on its second use. Otherwise the first reply would pay for the whole grammar in one
 * frame.
 */
export function warmMarkdown(): void {
  const twice = (read: () => unknown) => () => [read(), read()];
  for (const text of samples) runWhenIdle(twice(() => lexBlocks(text)));
  for (const text of runs) runWhenIdle(twice(() => lexInline(text, {})));
}
