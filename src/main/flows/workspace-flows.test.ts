import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorkspaceCall } from '#shared/workspace-call';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { builtInScope } from '../../core/tools/call-scope';
import { writtenCall } from '../../core/tools/call-tool';

const seed = resolve('seeds/workspace');
const harnesses: MainHarness[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A project with its own workspace, which other processes may write. */
function newProject() {
  const project = mkdtempSync(join(tmpdir(), 'patina-workspace-'));
  folders.push(project);
  const root = join(project, '.patina', 'workspace');
  mkdirSync(root, { recursive: true });
  cpSync(seed, root, { recursive: true });
  const template = join(root, 'prompts/templates/system.base.md');
  writeFileSync(template, 'The text of this project.');
  return {
    project,
    root,
    say: (text: string) => writeFileSync(template, text),
    write: (path: string, text: string) => writeFileSync(join(root, path), text),
  };
}

async function start(project: string, replies: readonly string[] = []) {
  const harness = await startMain({ project, replies: replies.map((text) => ({ text })) });
  harnesses.push(harness);
  const sent = () =>
    harness.model
      .chats()
      .map(({ json }) => (json as { messages: { content: string }[] }).messages[0]?.content ?? '');
  const call = (more: WorkspaceCall) => harness.app.workspace.call({ ...more, sessionId: harness.sessionId });
  return { ...harness, sent, call };
}

describe('the workspace of a session', () => {
  it('[P3-T-1] [P3-SA-5] loads a snapshot at the first sync, which is sent to the model once applied', async () => {
    const project = newProject();
    project.say('You are the first text.');
    const { call, say, sent, state } = await start(project.project, ['one']);
    const synced = must(await call({ op: 'sync' }));
    expect(synced.state.sync?.status).toBe('ready');
    expect(synced.state.pending).not.toBeNull();
    const applied = must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    expect(applied.state).toMatchObject({ active: synced.state.pending?.hash, pending: null });
    await say('hello there');
    expect(sent()[0]).toContain('You are the first text.');
    const [step] = state().blocks.flat()[0]?.steps ?? [];
    expect(step).toMatchObject({
      snapshot: applied.state.active,
      promptPack: 'default',
      toolCatalog: 'default',
    });
  });

  it('[P3-T-2] [P3-DS-2] does not see a change on disk until it is synced and applied', async () => {
    const project = newProject();
    const { call, say, sent } = await start(project.project, ['one', 'two', 'three']);
    must(await call({ op: 'sync' }));
    must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    project.say('Changed by someone else.');
    await say('hello there');
    must(await call({ op: 'sync' }));
    await say('and again');
    expect(sent().some((text) => text.includes('Changed by'))).toBe(false);
    must(await call({ op: 'apply' }));
    await say('and now');
    expect(sent().at(-1)).toContain('Changed by someone else.');
  });

  it('[P3-T-4] [P3-SEC-1] [P3-SEC-5] refuses an invalid snapshot and names the field, and the active one stays', async () => {
    const project = newProject();
    const { call, state } = await start(project.project);
    must(await call({ op: 'sync' }));
    const { active } = must(await call({ op: 'apply', when: 'immediate_if_idle' })).state;
    project.write('prompts/packs/default.json', '{"id":"default","templates":["../../../etc/passwd"]}');
    const refused = await call({ op: 'sync' });
    expect(refused).toMatchObject({
      ok: false,
      error: {
        kind: 'CONFIG',
        problems: [{ file: 'prompts/packs/default.json', field: 'templates.0', rule: 'path' }],
      },
    });
    expect(state().workspace).toMatchObject({ active, pending: null, sync: { status: 'rejected' } });
  });

  it('[P3-T-5] [P3-DS-6] replays to the same state after sync, apply, lines and a refusal', async () => {
    const project = newProject();
    const { app, call, say, sessionId } = await start(project.project, ['one']);
    must(await call({ op: 'sync' }));
    must(await call({ op: 'apply', when: 'next_step_boundary' }));
    await say('hello there');
    project.write('agent.workspace.json', '{');
    await call({ op: 'sync' });
    expect(must(app.log.replay(sessionId))).toMatchObject({ equal: true });
  });

  it('[P3-SEC-4] refuses a name that is not allowed before it is read, and records this', async () => {
    const project = newProject();
    const { call, state } = await start(project.project);
    const refused = await call({ op: 'sync', workspace: 'elsewhere' });
    expect(refused).toMatchObject({ ok: false, error: { kind: 'POLICY', code: 'CAPABILITY_DENIED' } });
    expect(state().workspace).toMatchObject({
      binding: { workspace: 'default' },
      sync: { status: 'rejected', workspace: 'elsewhere' },
    });
  });

  it('[P3-CS-defaults] begins with the defaults that the project has adopted', async () => {
    const project = newProject();
    project.say('For all new sessions.');
    const { app } = await start(project.project);
    const call = (more: WorkspaceCall) => app.workspace.call({ ...more, project: project.project });
    must(await call({ op: 'sync' }));
    const { active } = must(await call({ op: 'apply', when: 'immediate_if_idle' })).state;
    must(await call({ op: 'choose', promptPack: 'concise' }));
    const made = must(app.log.create(project.project));
    expect(made.workspace).toMatchObject({ active, promptPack: 'concise', history: [{ boundary: 'start' }] });
    expect(must(app.log.summaries({ archived: false })).every(({ id }) => !id.startsWith('wsp_'))).toBe(true);
  });

  it('[P3-CS-overrides] [P3-DS-4] lets a line choose another pack, catalog and snapshot; missing ones are refused', async () => {
    const project = newProject();
    const { app, sessionId, sent, state, model } = await start(project.project, ['one']);
    const chosen = await app.chosenModel();
    const send = (workspace: { promptPack: string }) =>
      must(app.conversation.send({ sessionId, text: 'hi', runMode: 'ask', model: chosen, workspace })).done;
    await send({ promptPack: 'concise' });
    expect(sent()[0]).toContain('At most three sentences');
    await send({ promptPack: 'nothing' });
    expect(model.chats()).toHaveLength(1);
    expect(state().blocks.flat()[1]?.reply).toMatchObject({ status: 'failed', error: { code: 'NOT_FOUND' } });
  });

  it('[P3-BA-2] [P3-DS-3] [P3-SEC-2] can hide a tool from the model and never grants one', async () => {
    const project = newProject();
    project.write(
      'tools/catalogs/default.json',
      '{"id":"default","tools":["agent_list_modes","send_email","agent_secret"]}',
    );
    const { app, call, sessionId } = await start(project.project);
    const before = must(await app.previewPrompt({ sessionId, runMode: 'ask' }));
    expect(before.tools.map(({ name }) => name)).toContain('agent_run_command');
    must(await call({ op: 'sync' }));
    must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    const after = must(await app.previewPrompt({ sessionId, runMode: 'ask' }));
    const names = after.tools.map(({ name }) => name);
    expect(names).toContain('agent_list_modes');
    expect(names).toContain('agent_change_mode');
    expect(names).not.toContain('agent_run_command');
    expect(names).not.toContain('send_email');
    expect(after.verdicts).toContainEqual(
      expect.objectContaining({ name: 'agent_run_command', offered: false, layer: 'descriptor' }),
    );
    const signal = new AbortController().signal;
    const made = writtenCall('agent_run_command', '{"commandId":"SetMode","id":"general"}');
    const lists = { modeTools: ['*'], catalogTools: ['agent_list_modes'] };
    const scope = builtInScope({ sessionId, turn: null, lists });
    const { result } = await app.toolCalls.callTool(scope, made, signal);
    expect(result).toMatchObject({ ok: false, error: { kind: 'POLICY', layer: 'descriptor' } });
  });

  it('[P3-SA-history] keeps earlier versions, compares them, returns to one, and collects unreferenced ones', async () => {
    const project = newProject();
    const { call } = await start(project.project);
    must(await call({ op: 'sync' }));
    const first = must(await call({ op: 'apply', when: 'immediate_if_idle' })).state.active ?? '';
    project.say('Second text.');
    must(await call({ op: 'sync' }));
    const { diff } = must(await call({ op: 'diff' }));
    expect(diff?.files).toMatchObject([{ path: 'prompts/templates/system.base.md', change: 'changed' }]);
    expect(diff?.files[0]?.hunks.flatMap(({ lines }) => lines)).toContainEqual({
      kind: 'added',
      text: 'Second text.',
    });
    must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    const back = must(await call({ op: 'rollback', hash: first.slice(0, 10), when: 'immediate_if_idle' }));
    expect(back.state).toMatchObject({ active: first, binding: { version: 'latest' } });
    project.say('Third text, never applied.');
    const third = must(await call({ op: 'sync' })).state.pending?.hash;
    project.say('Fourth text.');
    must(await call({ op: 'sync' }));
    expect(must(await call({ op: 'gc' })).removed).toEqual([third]);
  });

  it('[P3-WI-legacy] [P3-T-6] [P3-DOD-3] without an index finds the tools of tools/*.json, marked as legacy', async () => {
    const project = newProject();
    rmSync(join(project.root, 'agent.workspace.json'));
    project.write('tools/list.json', '{"name":"agent_list_modes","description":"Lists.","extra":1}');
    const { call } = await start(project.project);
    must(await call({ op: 'sync' }));
    const view = must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    expect(view.contents).toMatchObject({
      legacy: true,
      catalogs: [{ id: 'legacy', tools: ['agent_list_modes'] }],
    });
    expect(view.findings).toContainEqual(expect.objectContaining({ rule: 'legacy', level: 'warning' }));
  });

  it('[P3-TC-unbound] reports descriptors without a tool, and those with another schema', async () => {
    const project = newProject();
    project.write('tools/descriptors/a.json', '{"name":"agent_none","description":"x","parameters":{}}');
    project.write(
      'tools/descriptors/b.json',
      '{"name":"agent_list_modes","description":"x","parameters":{"type":"object","properties":{"q":{"type":"string"}}}}',
    );
    project.write(
      'tools/catalogs/default.json',
      '{"id":"default","tools":["tools/descriptors/a.json","tools/descriptors/b.json"]}',
    );
    const { call } = await start(project.project);
    must(await call({ op: 'sync' }));
    const { findings } = must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    expect(findings.map(({ rule }) => rule)).toEqual(['unbound', 'schema-differs']);
  });

  it('[P3-catalog-unknown] warns of a server that is not registered, and of none that has not started yet', async () => {
    const project = newProject();
    project.write(
      'tools/catalogs/default.json',
      '{"id":"default","tools":["mcp://*","mcp://pro*","mcp://project.*","mcp://nothing.*"]}',
    );
    const { call } = await start(project.project);
    must(await call({ op: 'sync' }));
    const { findings } = must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    expect(findings).toEqual([
      expect.objectContaining({
        file: 'tools/catalogs/default.json',
        field: 'tools',
        rule: 'unknown-tool',
        reason: expect.stringContaining('mcp://nothing.*') as string,
      }),
    ]);
  });
});

describe('the bundled workspace', () => {
  it('[P3-AW-layout] has the layout of the specification, and is valid', async () => {
    const index = JSON.parse(readFileSync(join(seed, 'agent.workspace.json'), 'utf8')) as {
      promptPacks: object;
    };
    expect(Object.keys(index.promptPacks)).toEqual(['default', 'concise']);
    const { call } = await start(newProject().project);
    const view = must(await call({ op: 'status' }));
    expect(view.contents).toMatchObject({ promptPack: 'default', toolCatalog: 'default', legacy: false });
    expect(view.findings).toEqual([]);
  });
});
