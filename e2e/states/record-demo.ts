import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, type ElectronApplication, type Page } from '@playwright/test';
import gifenc from 'gifenc';
import { turn } from '../fixtures/conversation';
import { composer, switchMode } from '../fixtures/window';
import { approval, over, submit } from './agent-steps';
import { test } from './sample-test';
import { resize, twoFrames } from './window-size';

const file = resolve('docs/images/demo.gif');
const size = { width: 940, height: 680 };

const goal = 'List every TODO of this project in docs/todo.md';

/** The reply of the scripted model. Everything else in the animation is the real app. */
const plan = {
  goal,
  nodes: [
    {
      id: 'find',
      title: 'Find every TODO',
      kind: 'script',
      tools: ['mcp://project.search_text'],
      code: `const { matches } = await tools.project.search_text({ query: 'TODO' });
const lines = matches.map(({ path, line, text }) => \`- \${path}:\${line} \${text.trim()}\`);
return { summary: \`\${lines.length} notes\`, state: { count: lines.length, list: lines.join('\\n') } };`,
    },
    {
      id: 'write',
      title: 'Write the list',
      kind: 'script',
      deps: ['find'],
      tools: ['mcp://filesystem.write_file'],
      code: `await tools.filesystem.write_file({ path: 'docs/todo.md', content: \`# To do\\n\\n\${inputs.find.list}\\n\` });
return { summary: 'docs/todo.md is written' };`,
    },
  ],
  answer: '**{{find.count}} notes** are now in `docs/todo.md`:\n\n{{find.list}}',
};

interface Frame {
  readonly rgba: Uint8Array;
  readonly ms: number;
}

/** The page as it is now; Electron decodes the driver's picture. */
async function frameOf(app: ElectronApplication, page: Page, ms: number): Promise<Frame> {
  const png = await page.screenshot({ animations: 'disabled', scale: 'css' });
  const bitmap = await app.evaluate(
    ({ nativeImage }, encoded) =>
      nativeImage.createFromBuffer(Buffer.from(encoded, 'base64')).toBitmap().toString('base64'),
    png.toString('base64'),
  );
  const rgba = new Uint8Array(Buffer.from(bitmap, 'base64'));
  for (let at = 0; at < rgba.length; at += 4) {
    const blue = rgba[at] ?? 0;
    rgba[at] = rgba[at + 2] ?? 0;
    rgba[at + 2] = blue;
  }
  return { rgba, ms };
}

/** The index of the palette that means "unchanged since the frame before". */
const unchanged = 255;

function encode(frames: readonly Frame[]): Uint8Array {
  const all = new Uint8Array(Buffer.concat(frames.map(({ rgba }) => rgba)));
  const colours = gifenc.quantize(all, unchanged);
  const palette = Array.from({ length: 256 }, (_, at) => colours[at] ?? [0, 0, 0]);
  const encoder = gifenc.GIFEncoder();
  let before: Uint8Array | null = null;
  for (const { rgba, ms } of frames) {
    const pixels = gifenc.applyPalette(rgba, colours);
    const shown = pixels.slice();
    if (before)
      for (let at = 0; at < shown.length; at += 1) if (shown[at] === before[at]) shown[at] = unchanged;
    encoder.writeFrame(shown, size.width, size.height, {
      ...(before === null && { palette }),
      delay: ms,
      transparent: before !== null,
      transparentIndex: unchanged,
      dispose: 1,
    });
    before = pixels;
  }
  encoder.finish();
  return encoder.bytes();
}

test('demo', async ({ launchOn, startModel }) => {
  const model = await startModel({ replies: [{ gated: true, ...submit(plan) }] });
  const stage = { ...(await launchOn(model)), model };
  const { app, page } = stage;
  const frames: Frame[] = [];
  const film = async (ms: number) => void frames.push(await frameOf(app, page, ms));
  await resize(stage, size);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await switchMode(page, 'Agent Mode');
  await composer(page).focus();
  await page.mouse.move(0, 0);
  await film(900);
  for (const part of goal.match(/.{1,8}/g) ?? []) {
    await page.keyboard.type(part);
    await film(180);
  }
  await film(700);
  await page.keyboard.press('Enter');
  await expect(turn(page, 1).getByRole('region', { name: 'Run' })).toBeVisible();
  await film(1_300);
  model.release();
  const card = approval(page, 'Write the list');
  await expect(card).toBeVisible();
  // The plan is above its card; both do not fit into one frame.
  await turn(page, 1).evaluate((article) => article.scrollIntoView({ block: 'start' }));
  await twoFrames(page);
  await film(2_600);
  await card.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await twoFrames(page);
  await film(4_000);
  const approve = card.getByRole('button', { name: 'Approve' });
  await approve.hover();
  await film(700);
  await approve.click();
  await over(page);
  await page.mouse.move(0, 0);
  await film(5_000);
  await writeFile(file, encode(frames));
});
