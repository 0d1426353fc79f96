import { describe, expect, it } from 'vitest';
import { lexBlocks } from './parse';
import { markdownToHtml } from './to-html';

const shape = (text: string) =>
  lexBlocks(text)
    .filter(({ type }) => type !== 'space')
    .map(({ type, raw }) => [type, raw.trim().split('\n')[0]]);

describe('a collapsible part', () => {
  it('[RICH-details] contains Markdown, nested parts and code with its own end tag', () => {
    const [token, after] = lexBlocks(
      '<details open>\n<summary><b>More</b> of it</summary>\n\n- one\n\n```html\n</details>\n```\n\n' +
        '<details><summary>inner</summary>words</details>\n\nlast\n</details>\nafter',
    ).filter(({ type }) => type !== 'space');
    expect(token).toMatchObject({ type: 'details', summary: 'More of it', opened: true, closed: true });
    expect((token as { tokens: { type: string }[] }).tokens.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['list', 'code', 'details', 'paragraph']),
    );
    expect(after).toMatchObject({ type: 'paragraph', text: 'after' });
  });

  it('[RICH-details] stays text with any attribute but open', () => {
    expect(shape('<details ontoggle=x>\n\nwords\n\n</details>').map(([type]) => type)).not.toContain(
      'details',
    );
  });

  it('[RICH-details] is exported with everything in it as text', () => {
    const html = markdownToHtml(
      '<details>\n<summary><img src=x onerror=1></summary>\n\n<b>x</b>\n</details>',
    );
    expect(html).toContain('<details>\n<summary>&lt;img');
    expect(html).not.toContain('<img');
  });
});
