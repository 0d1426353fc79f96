import { describe, expect, it } from 'vitest';
import { composePrompt, previewPrompt, systemMessage } from './prompt';
import { titleFrom } from './session-title';
import { loadTokenCount } from './token-count';

const block = (text: string) => ({ source: text, text });

describe('the system message', () => {
  it('[CTX-instructions] has its blocks in a fixed order, whatever order they are given in', () => {
    const blocks = composePrompt({
      staticContext: block('10'),
      workContext: block('9'),
      sessionInstructions: block('8'),
      projectInstructions: block('7'),
      appInstructions: block('6'),
      activeWorkflow: block('5'),
      workflowBoot: block('4'),
      modeInstructions: block('3'),
      modeCatalog: block('2'),
      workspacePack: block('1'),
    });
    expect(systemMessage(blocks)).toBe('1\n\n2\n\n3\n\n4\n\n5\n\n6\n\n7\n\n8\n\n9\n\n10');
  });

  it('omits empty blocks', () => {
    expect(composePrompt({ workspacePack: block(' a\r\nb\n'), modeCatalog: block(' \n') })).toEqual([
      { source: ' a\r\nb\n', text: 'a\nb' },
    ]);
    expect(systemMessage(composePrompt({}))).toBe('');
  });

  it('is counted in tokens, with special tokens as ordinary text', async () => {
    const count = await loadTokenCount();
    const preview = previewPrompt(
      [block('hello world')],
      [{ name: 'a', description: 'b', parameters: {} }],
      count,
    );
    expect(preview.blocks[0]?.tokens).toBe(2);
    expect(preview.total).toBe(2 + preview.tools[0]!.tokens);
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
  });
});

describe('a title', () => {
  it.each([
    ['  Fix the build \n please', 'Fix the build'],
    ['tabs\tand   spaces', 'tabs and spaces'],
    [`${'word '.repeat(20)}`, `${'word '.repeat(11).trim()}…`],
    ['x'.repeat(100), `${'x'.repeat(59)}…`],
    ['🎉'.repeat(61), `${'🎉'.repeat(59)}…`],
  ])('of %j is %j', (text, title) => {
    expect(titleFrom(text)).toBe(title);
  });
});
