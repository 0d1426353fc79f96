import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';
import { settled } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { startSink } from '../fixtures/sink';
import { send } from '../fixtures/window';

const flow = '```mermaid\ngraph LR\n  A[Read] --> B{Known?}\n  B -->|yes| C[Answer]\n  B -->|no| D[Ask]\n```';
const broken = '```mermaid\ngraph LR\n  A -->\n```';
const sequence = '```mermaid\nsequenceDiagram\n  Alice->>Bob: Hello\n  Bob-->>Alice: Hi\n```';
/** Directives that would weaken the drawing, and labels that are HTML. */
const hostile = (origin: string): string =>
  '```mermaid\n%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\n' +
  `graph TD\n  A["<img src='${origin}/label.png' onerror='window.planted=1'>"] --> B\n` +
  `  click A href "${origin}/click"\n\`\`\``;

test('[RICH-mermaid] [RICH-mermaid-error] diagrams are pictures, and an invalid one is code with the reason', async ({
  startModel,
  launchOn,
}) => {
  const sink = await startSink();
  const text = [flow, broken, hostile(sink.origin), sequence].join('\n\nwords\n\n');
  const model = await startModel({ replies: [{ text: [text] }] });
  const { app, page } = await launchOn(model);
  await send(page, 'Draw it');
  const reply = await settled(page, 1);
  const diagrams = reply.getByRole('figure', { name: 'Diagram', exact: true });
  await expect(diagrams).toHaveCount(3, { timeout: 30_000 });
  await expect(reply.getByRole('note')).toHaveText(/^Line \d+ of this diagram has an error/);
  await expect(reply.getByRole('figure', { name: 'Code, mermaid' })).toContainText('A -->');
  const light = await diagrams.first().getByRole('img').getAttribute('src');
  expect(light).toMatch(/^data:image\/png;base64,/);

  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(diagrams.first().getByRole('img')).not.toHaveAttribute('src', light ?? '', {
    timeout: 30_000,
  });
  await diagrams.first().getByRole('button', { name: 'Show the source' }).click();
  await expect(reply).toContainText('B{Known?}');
  await reply.getByRole('button', { name: 'Show the diagram' }).click();
  await expect(diagrams).toHaveCount(3, { timeout: 30_000 });
  // Every hidden window is gone, and none of them sent a request.
  await expect.poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  expect(sink.hits).toEqual(['/control']);
  await shots({ app, page }, 'rich-mermaid');
  sink.close();
});

test('[RICH-mermaid] diagrams are drawn one at a time, in sandboxed windows whose session reaches nothing', async ({
  startModel,
  launchOn,
}) => {
  const sink = await startSink();
  const text = [flow, sequence].join('\n\nwords\n\n');
  const { app, page } = await launchOn(await startModel({ replies: [{ text: [text] }] }));
  await app.evaluate(({ app: electron, BrowserWindow }) => {
    const seen = globalThis as { drawers?: unknown[] };
    // The driver may ask twice.
    if (seen.drawers) return;
    const drawers: unknown[] = (seen.drawers = []);
    electron.on('browser-window-created', (_event, { webContents }) => {
      const contents = webContents as unknown as { getLastWebPreferences: () => Record<string, unknown> };
      const windows = BrowserWindow.getAllWindows().length;
      drawers.push({ preload: null, ...contents.getLastWebPreferences(), windows });
    });
  });
  await send(page, 'Draw it');
  const reply = await settled(page, 1);
  await expect(reply.getByRole('figure', { name: 'Diagram', exact: true })).toHaveCount(2, {
    timeout: 30_000,
  });
  const alone = {
    windows: 2,
    preload: null,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
  };
  const drawers = await app.evaluate(() => (globalThis as { drawers?: unknown[] }).drawers);
  expect(drawers).toMatchObject([alone, alone]);
  // A data page has no content security policy, so only the rule of the session applies.
  const tried: unknown = await app.evaluate(async ({ BrowserWindow }, address) => {
    const window = new BrowserWindow({ show: false, webPreferences: { partition: 'diagram' } });
    await window.loadURL('data:text/html,<title>bare</title>');
    const answers: unknown = await window.webContents.executeJavaScript(`Promise.all([
        fetch('${address}/fetch', { mode: 'no-cors' }).then(() => 'sent', () => 'refused'),
        navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state),
      ])`);
    window.destroy();
    return answers;
  }, sink.origin);
  expect(tried).toEqual(['refused', 'denied']);
  expect(sink.hits).toEqual(['/control']);
  sink.close();
});

/** So many edges between so few nodes that their layout exceeds the time limit of a diagram. */
const slow = (): string => {
  const edges = Array.from({ length: 490 }, (_, at) => `  n${at % 37} --> n${(at * 7 + 3) % 41}`);
  return `\`\`\`mermaid\ngraph TD\n${edges.join('\n')}\n\`\`\``;
};

test('[RICH-mermaid-error] a diagram that takes too long is ended and shown as code, and the next one is drawn', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: [[slow(), sequence].join('\n\nwords\n\n')] }] });
  const { app, page } = await launchOn(model);
  await send(page, 'Draw it');
  const reply = await settled(page, 1);
  await expect(reply.getByRole('figure', { name: 'Diagram', exact: true })).toHaveCount(1, {
    timeout: 30_000,
  });
  await expect(reply.getByRole('note')).toContainText('two seconds');
  await expect.poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
});

const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('[RICH-image-click] a remote image is loaded only on a click that names its host', async ({
  startModel,
  launchOn,
}) => {
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(`${url} ${headers.referer ?? 'no referrer'} ${headers.cookie ?? 'no cookie'}`);
    if (url === '/dot.png') response.setHeader('set-cookie', 'a=b');
    response.writeHead(url === '/dot.png' ? 200 : 404).end(url === '/dot.png' ? dot : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = `![a dot](http://${host}/dot.png)\n\n![gone](http://${host}/gone.png)`;
  const { page } = await launchOn(await startModel({ replies: [{ text: [text] }] }));
  await send(page, 'Show me');
  const reply = await settled(page, 1);
  const load = reply.getByRole('button', { name: `Load from ${host}` });
  await expect(load).toHaveCount(2);
  expect(asked).toEqual([]);
  await load.first().click();
  await expect(reply.getByRole('img', { name: 'a dot' })).toBeVisible();
  await expect(reply).toContainText(`from ${host}`);
  await load.click();
  await expect(reply.getByRole('status')).toContainText('answered with status 404');
  expect(asked).toEqual(['/dot.png no referrer no cookie', '/gone.png no referrer no cookie']);
  server.close();
});

test('[RICH-details] a collapsible part opens on a click, with Markdown inside', async ({
  startModel,
  launchOn,
}) => {
  const text =
    '<details>\n<summary>The <b>whole</b> log</summary>\n\n- first line\n\n```sh\nls\n```\n\n</details>\n\nBELOW';
  const { app, page } = await launchOn(await startModel({ replies: [{ text: [text] }] }));
  await send(page, 'Log');
  const reply = await settled(page, 1);
  await expect(reply.getByText('BELOW')).toBeVisible();
  await expect(reply.getByText('first line')).toBeHidden();
  await reply.getByText('The whole log').click();
  await expect(reply.getByRole('listitem')).toHaveText('first line');
  await shots({ app, page }, 'rich-details');
});
