import { expect, it } from 'vitest';
import { ok } from '#shared/result';
import { createPictureHandlers } from './picture-handlers';

const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>planted()</script></svg>');

const handlersFor = (bytes: Buffer) =>
  createPictureHandlers({
    drawDiagram: () => Promise.resolve({ png: bytes.toString('base64') }),
    loadPicture: () => Promise.resolve(ok(bytes)),
  });
const diagram = { source: 'graph LR', dark: false };
const address = { url: 'https://pictures.example/a.png' };

it('[RICH-mermaid] [RICH-image-click] the window gets only pictures that are what they seem', async () => {
  const shown = { dataUrl: `data:image/png;base64,${dot.toString('base64')}`, width: 1, height: 1 };
  expect(await handlersFor(dot)['diagram-draw'](diagram)).toEqual(ok({ drawn: shown }));
  expect(await handlersFor(dot)['picture-load'](address)).toEqual(ok(shown));
  for (const bytes of [svg, Buffer.alloc(0), dot.subarray(0, 12)]) {
    expect(await handlersFor(bytes)['diagram-draw'](diagram)).toMatchObject({
      value: { problem: 'too-large' },
    });
    expect(await handlersFor(bytes)['picture-load'](address)).toMatchObject({
      error: { code: 'INVALID_INPUT' },
    });
  }
});
