import { cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { findUnsafeMarkup } from '../../../testing/unsafe-markup';
import { Markdown } from './markdown';
import { loadKatex } from './markdown-math';

// KaTeX renders only in standards mode, which requires a doctype.
Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' });
afterEach(cleanup);

const actions = { onOpenLink: () => undefined, onCopy: () => undefined };

/** Payloads from every known family that turns text into code or a request. */
const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><animate attributeName=href values=javascript:alert(1)></svg>',
  '<iframe src="https://evil.example"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<style>body{background:url(https://evil.example/a.png)}</style>',
  '<link rel=prefetch href=https://evil.example><meta http-equiv=refresh content="0;url=https://evil.example">',
  '<form action=https://evil.example><input name=a></form><object data=x></object><embed src=x><base href=//evil.example>',
  '<details open ontoggle=alert(1)><div style="position:fixed;inset:0">x</div>',
  '[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](java&#x0A;script:alert(1)) [c2](&#106;avascript:alert(1))',
  '[d](data:text/html,<script>alert(1)</script>) [e](vbscript:x) [f](file:///etc/passwd) [g](smb://host/share)',
  '[h](//evil.example/x) [i](\\\\evil.example\\x) [j](calculator:) [k](mailto:a@b.example) [l](#top) [m](/etc) [n](x.md)',
  '<javascript:alert(1)> <file:///etc/passwd> <mailto:a@b.example> a@b.example',
  '![p](https://evil.example/pixel.png) ![q](data:image/svg+xml;base64,PHN2Zz4=) ![r](file:///x.png) ![s](//evil.example/x)',
  '[![nested](https://evil.example/a.png)](javascript:alert(1))',
  '[ref][1] ![img][1]\n\n[1]: javascript:alert(1) "t"',
  '[u](https://ok.example" onclick="alert(1))',
  '[v](<https://ok.example/"><img src=x onerror=alert(1)>>)',
  '```html\n<script>alert(1)</script>\n```',
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  '`<img src=x onerror=alert(1)>`',
  '| <img src=x onerror=alert(1)> | b |\n|---|---|\n| [x](javascript:alert(1)) | ![y](http://evil.example/y) |',
  '$\\href{javascript:alert(1)}{x}$ and $\\includegraphics{https://evil.example/a.png}$ and $\\url{javascript:alert(1)}$',
  '$$\n\\htmlData{a=b}{x} \\htmlStyle{background:url(https://evil.example)}{y}\n$$',
  '```mermaid\ngraph TD; A["<img src=x onerror=alert(1)>"]-->B; click A "javascript:alert(1)"\n```',
  '<!-- --!><img src=x onerror=alert(1)> -->',
  '<![CDATA[<script>alert(1)</script>]]> <?php echo 1 ?> <!DOCTYPE html>',
];

function expectHarmless(root: Element): void {
  expect(findUnsafeMarkup(root)).toEqual([]);
}

/** Renders a text as a stream delivers it, then as history does; it also checks the frames in between. */
async function streamed(text: string, step: number): Promise<string> {
  const view = render(<Markdown text="" streaming {...actions} />);
  for (let end = step; end < text.length; end += step) {
    view.rerender(<Markdown text={text.slice(0, end)} streaming {...actions} />);
    expectHarmless(view.container);
  }
  view.rerender(<Markdown text={text} streaming={false} {...actions} />);
  return drawing(view);
}

async function whole(text: string): Promise<string> {
  return drawing(render(<Markdown text={text} streaming={false} {...actions} />));
}

/** The rendered DOM as text; attribute order is ignored. */
function written(node: Node): string {
  if (!(node instanceof Element)) return node.textContent ?? '';
  const attributes = [...node.attributes].map(({ name, value }) => `${name}=${value}`).sort();
  return `<${node.tagName} ${attributes.join(' ')}>${[...node.childNodes].map(written).join('')}</>`;
}

/** The rendered DOM once its formulas have rendered. */
async function drawing(view: ReturnType<typeof render>): Promise<string> {
  await waitFor(() => expect(view.container.querySelector('[data-math=waiting]')).toBeNull());
  expectHarmless(view.container);
  const result = written(view.container);
  view.unmount();
  return result;
}

describe('Markdown with hostile text', () => {
  it('is checked by a detector that does find harm', () => {
    const { container } = render(
      <div>
        <img src="x" alt="" />
        <a href={`java${'script'}:x`}>x</a>
        <b style={{ background: 'url(x)' }} />
      </div>,
    );
    container.querySelector('b')?.setAttribute('onclick', 'x');
    expect(findUnsafeMarkup(container)).toHaveLength(5);
  });

  it.each(hostile)(
    '[H62] [H64] draws %j as harmless, streamed character by character and from history alike',
    async (text) => {
      await loadKatex();
      expect(await streamed(text, 1)).toBe(await whole(text));
    },
  );

  it('[H62] draws all of them in one text, however split, as from history', async () => {
    await loadKatex();
    const text = hostile.join('\n\n');
    const expected = await whole(text);
    for (const step of [23, 256]) expect(await streamed(text, step)).toBe(expected);
  });

  it('[H62] shows raw HTML as plain characters', () => {
    const { container } = render(
      <Markdown text="a <b onclick=x>bold</b> word" streaming={false} {...actions} />,
    );
    expect(container.textContent).toBe('a <b onclick=x>bold</b> word');
  });
});
