import { afterEach, describe, expect, it } from 'vitest';
import { tailRange } from './unsaved-tail';

function drawn(html: string): Element {
  const root = document.createElement('div');
  root.innerHTML = html;
  document.body.append(root);
  return root;
}

const marked = (html: string, length: number): string => tailRange(drawn(html), length)?.toString() ?? '';

afterEach(() => document.body.replaceChildren());

describe('[START-saved-shown] the end of a growing reply that is not saved', () => {
  it('has as many characters as arrived since the last save, across blocks and marks', () => {
    expect(marked('<p>Saved words. New <em>ones</em> here.</p>', 14)).toBe('New ones here.');
    expect(marked('<p>One</p><ul><li>two</li><li>three</li></ul>', 8)).toBe('twothree');
  });

  it('is never too short: text of buttons, and the hidden text of a formula, does not count', () => {
    expect(marked('<p>abc</p><div><button>Copy</button></div>', 2)).toContain('bc');
    const formula = '<span class="katex-html">x2x2x2</span>';
    expect(marked(`<p>before</p><p>new ${formula}</p>`, 5)).toContain('new ');
  });

  it('is empty without unsaved text, and the whole reply if that is shorter', () => {
    expect(tailRange(drawn('<p>abc</p>'), 0)).toBeNull();
    expect(tailRange(drawn(''), 4)).toBeNull();
    expect(marked('<p>abc</p>', 40)).toBe('abc');
  });
});
