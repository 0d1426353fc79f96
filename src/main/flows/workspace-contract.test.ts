import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import type { WorkspaceCall } from '#shared/workspace-call';
import { startMain } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { judgeCall } from '../../core/tools/gate';
import { createSchemaCheck } from '../../core/tools/schema-check';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Starts the app on a project whose workspace contains these files. */
async function start(files: Readonly<Record<string, string>>, from?: string) {
  const project = mkdtempSync(join(tmpdir(), 'patina-contract-'));
  ends.push(() => rmSync(project, { recursive: true, force: true }));
  const root = join(project, '.patina', 'workspace');
  mkdirSync(root, { recursive: true });
  if (from !== undefined) cpSync(resolve(from), root, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const harness = await startMain({ project });
  ends.push(harness.close);
  const call = (asked: WorkspaceCall) =>
    harness.app.workspace.call({ ...asked, sessionId: harness.sessionId });
  const promptText = async () => {
    const { blocks } = must(
      await harness.app.previewPrompt({ sessionId: harness.sessionId, runMode: 'ask' }),
    );
    return blocks.map(({ text }) => text).join('\n');
  };
  return { ...harness, call, promptText };
}

/** The files of the guide: each is a path in backticks on its own line, followed by a code block. */
function documented(): Readonly<Record<string, string>> {
  const guide = readFileSync(resolve('docs/user/instructions.md'), 'utf8');
  const blocks = guide.matchAll(/^`([^`\n]+)`\n\n```\w+[^\n]*\n([^]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, path = '', text = '']) => [path, text]));
}

it('[P3-DOD-1] [P3-SA-5] [P3-pack-parts] the workspace of the guide is valid as printed, and is sent to the model', async () => {
  const files = documented();
  expect(Object.keys(files)).toHaveLength(7);
  const { call, promptText } = await start(files);
  must(await call({ op: 'sync' }));
  const view = must(await call({ op: 'apply', when: 'immediate_if_idle' }));
  expect(view.contents).toMatchObject({ legacy: false, promptPack: 'review', toolCatalog: 'reading' });
  const text = await promptText();
  for (const part of [
    'You review TypeScript code.',
    'Be brief and kind.',
    'Functions stay below sixty lines.',
  ])
    expect(text).toContain(part);
});

it('[P3-SA-5] braces in a template are replaced where a name is declared, and are plain text elsewhere', async () => {
  const files = documented();
  const pack = JSON.parse(files['prompts/packs/review.json'] ?? '') as { templates: object[] };
  const variables = { language: '{{language}}', name: 'a {{ language }}' };
  pack.templates[0] = { path: 'prompts/templates/review.md', variables };
  const left = '{{#if x}} {{user.name}} {{}} {language} {{language';
  const { call, promptText } = await start({
    ...files,
    'prompts/packs/review.json': JSON.stringify(pack),
    'prompts/templates/review.md': `Know {{language}} and {{ name }}.\nLeave ${left}`,
    'context/docs/rules.md': 'Of {{language}} and {{nobody}}.',
  });
  must(await call({ op: 'sync' }));
  must(await call({ op: 'apply', when: 'immediate_if_idle' }));
  const text = await promptText();
  expect(text).toContain(`Know {{language}} and a {{ language }}.\nLeave ${left}`);
  expect(text).toContain('Of {{language}} and {{nobody}}.');
});

it('[P3-SA-3] an invalid template of two packs is reported once', async () => {
  const { call } = await start({ 'prompts/templates/system.base.md': '\ufeffHello.' }, 'seeds/workspace');
  const problem = { file: 'prompts/templates/system.base.md', rule: 'bom' };
  expect(await call({ op: 'sync' })).toMatchObject({ ok: false, error: { problems: [problem] } });
});

it('[P3-DS-1] each project has the content of its own workspace and of no other', async () => {
  const template = 'prompts/templates/system.base.md';
  const sides = [];
  for (const words of ['Alpha works here.', 'Beta works here.']) {
    const side = await start({ [template]: words }, 'seeds/workspace');
    must(await side.call({ op: 'sync' }));
    must(await side.call({ op: 'apply', when: 'immediate_if_idle' }));
    sides.push(await side.promptText());
  }
  expect(sides.map((text) => [text.includes('Alpha works'), text.includes('Beta works')])).toEqual([
    [true, false],
    [false, true],
  ]);
});

it('[P3-SA-3] the same files give the same snapshot anywhere, checked before it is pending, with the same findings', async () => {
  const good = [await start({}, 'seeds/workspace'), await start(documented()), await start(documented())];
  const hashes = [];
  for (const { call } of good) {
    const { state } = must(await call({ op: 'sync' }));
    hashes.push(state.pending?.hash ?? state.active);
    expect(state.active).not.toBe(state.pending?.hash);
  }
  expect(hashes[1]).toBe(hashes[2]);
  expect(hashes[0]).not.toBe(hashes[1]);
  const bad = { ...documented(), 'prompts/templates/review.md': 'No {{variable}} like this.' };
  const { call, state } = await start(bad);
  const [first, second] = [await call({ op: 'sync' }), await call({ op: 'sync' })];
  expect(first).toMatchObject({ ok: false, error: { problems: [{}, {}] } });
  expect(second).toEqual(first);
  expect(state().workspace.pending).toBeNull();
});

it('[P3-SEC-3] [P3-DOD-4] a descriptor cannot bypass the capabilities for a call', async () => {
  const { call } = await start(documented());
  must(await call({ op: 'sync' }));
  const view = must(await call({ op: 'apply', when: 'immediate_if_idle' }));
  const catalogTools = view.contents?.catalogs[0]?.tools ?? [];
  const uri = 'mcp://project.list_files';
  expect(catalogTools).toContain(uri);
  const tool = {
    uri,
    server: 'project',
    tool: 'list_files',
    serverVersion: '1',
    description: '',
    inputSchema: { type: 'object' },
    readOnly: true,
  };
  const verdict = (allow: readonly string[]) =>
    judgeCall(
      { tool: uri, arguments: {}, hash: 'h' },
      {
        lists: { catalogTools },
        tools: new Map([[uri, tool]]),
        checkSchema: createSchemaCheck(),
        callsLeftInNode: 1,
        callsLeftInRun: 1,
        rateWaitMs: () => 0,
        approved: () => false,
        capabilities: Capabilities.parse({ allow }),
      },
    );
  expect(verdict([uri])).toMatchObject({ type: 'allow' });
  expect(verdict([])).toMatchObject({
    type: 'deny',
    error: { kind: 'POLICY', code: 'CAPABILITY_DENIED', layer: 'capability' },
  });
});

it('[P3-no-scripts] a script beside the files of a workspace is neither read nor run', async () => {
  const marker = join(tmpdir(), `patina-script-${process.pid}`);
  const script = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`;
  const { call, promptText } = await start({
    ...documented(),
    'scripts/postinstall.js': script,
    'package.json': JSON.stringify({ scripts: { postinstall: 'node scripts/postinstall.js' } }),
  });
  must(await call({ op: 'sync' }));
  must(await call({ op: 'apply', when: 'immediate_if_idle' }));
  expect(await promptText()).not.toContain('postinstall');
  expect(existsSync(marker)).toBe(false);
});
