import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

const harnesses: MainHarness[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'patina-pack-'));
  folders.push(folder);
  return folder;
};

async function start(project: string, replies: Parameters<typeof startMain>[0] = {}) {
  const harness = await startMain({ project, ...replies });
  harnesses.push(harness);
  const bodies = () => harness.model.chats().map(({ json }) => json as Record<string, unknown>);
  const system = (at: number): string =>
    (bodies()[at] as { messages: { content: string }[] }).messages[0]?.content ?? '';
  const run = async (plan: object, more: { promptPack?: string; fresh?: boolean } = {}) => {
    const { promptPack, fresh = false } = more;
    const sent = must(
      harness.app.conversation.send({
        sessionId: harness.sessionId,
        text: 'Say it',
        runMode: 'agent',
        provided: { plan },
        fresh,
        model: await harness.app.chosenModel(),
        ...(promptPack && { workspace: { promptPack } }),
      }),
    );
    const report = await sent.done;
    return report?.runMode === 'agent' ? report.run : null;
  };
  return { ...harness, bodies, system, run };
}

const step = { id: 'say', title: 'Say', kind: 'llm', prompt: 'Say one word.', deps: [] };
const worded = { goal: 'Say it', nodes: [step], answer: { llm: true } };

describe('a prompt pack', () => {
  it('[P3-SA-5-answer] [P3-format] words the answer of a run, and limits its length', async () => {
    const { run, bodies, system } = await start(newFolder(), {
      replies: [{ text: 'one' }, { text: 'All.' }],
    });
    expect(await run(worded, { promptPack: 'concise' })).toMatchObject({ outcome: 'done', answer: 'All.' });
    expect(system(1)).toContain('At most three sentences');
    expect(system(1).indexOf('At most three')).toBeLessThan(system(1).indexOf('Answer the user’s goal'));
    expect(bodies()[1]).toMatchObject({ max_tokens: 2_000 });
    // The seed's persona is for people, not for a step.
    expect(system(0)).not.toContain('At most three sentences');
    expect(bodies()[0]?.['max_tokens']).not.toBe(2_000);
  });

  it('[P3-for] [P3-format] applies only to the calls that its templates name, in the form it asks for', async () => {
    const project = newFolder();
    const root = join(project, '.patina/workspace');
    const write = (path: string, text: string | object): void => {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), typeof text === 'string' ? text : JSON.stringify(text));
    };
    const index = { schema: 'agent.workspace', version: 1, defaults: { promptPack: 'p', toolCatalog: 'c' } };
    write('agent.workspace.json', { ...index, promptPacks: { p: 'p.json' }, toolCatalogs: { c: 'c.json' } });
    write('c.json', { id: 'c', tools: ['mcp://*'] });
    write('prompts/templates/all.md', 'For every call.');
    write('prompts/templates/step.md', 'For steps alone.');
    const pack = {
      id: 'p',
      templates: ['prompts/templates/all.md', { path: 'prompts/templates/step.md', for: ['step'] }],
      responseFormat: { type: 'json', schema: { type: 'object' }, temperature: 0.2, effort: 'low' },
    };
    write('p.json', pack);
    const { app, sessionId, run, bodies, system } = await start(project, {
      replies: [{ text: 'one' }, { text: '{"a":1}' }, { text: 'x' }],
    });
    must(await app.workspace.call({ op: 'sync', sessionId }));
    must(await app.workspace.call({ op: 'apply', when: 'immediate_if_idle', sessionId }));
    expect(await run(worded)).toMatchObject({ outcome: 'done', answer: '{"a":1}' });
    expect(system(0)).toContain('For every call.\n\nFor steps alone.');
    expect(system(1)).toContain('For every call.');
    expect(system(1)).not.toContain('For steps alone.');
    expect(bodies()[0]).toMatchObject({ temperature: 0.2, reasoning_effort: 'low' });
    expect(bodies()[0]).not.toHaveProperty('response_format');
    expect(bodies()[1]).toMatchObject({
      temperature: 0.2,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    });
    write('p.json', { ...pack, templates: [{ path: 'prompts/templates/all.md', for: ['talk'] }] });
    const refused = await app.workspace.call({ op: 'sync', sessionId });
    expect(JSON.stringify(refused)).toContain('templates.0');
    write('p.json', { ...pack, responseFormat: { schema: {} } });
    expect(JSON.stringify(await app.workspace.call({ op: 'sync', sessionId }))).toContain(
      '"type\\": \\"json',
    );
  });

  it('[AGA-cache] words an answer once for the same model, prompt and results, and says so; fresh asks again', async () => {
    const replies = ['one', 'First.', 'one', 'Second.', 'Third.'].map((text) => ({ text }));
    const { run, model, turn } = await start(newFolder(), { replies });
    expect(await run(worded)).toMatchObject({ answer: 'First.' });
    const again = await run(worded);
    expect(again).toMatchObject({ answer: 'First.', answerCached: true, usage: { modelTurns: 0 } });
    expect(model.chats()).toHaveLength(2);
    expect(turn(1).run?.answerCached).toBe(true);
    const fresh = await run(worded, { fresh: true });
    expect(fresh).toMatchObject({ answer: 'Second.' });
    expect(fresh?.answerCached).toBeUndefined();
    const other = await run({ ...worded, answer: { llm: true, prompt: 'In verse.' } });
    expect(other).toMatchObject({ answer: 'Third.' });
  });
});
