import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '#shared/session-event';
import { buildEntry } from '../../testing/build-entry';
import { questionText } from '../cli/ask-question';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { calls, text } from '../../testing/workflow-harness';

let projectServer: string;
let project: string;
let harness: MainHarness;
beforeAll(async () => {
  projectServer = await buildEntry('project-server/index.ts');
}, 60_000);
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'patina-ask-tools-'));
  writeFileSync(join(project, 'seen.txt'), 'Only a tool can know this.\n');
});
afterEach(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

async function start(replies: MainHarnessOptions['replies'], on = true): Promise<void> {
  harness = await startMain({ ...(replies && { replies }), project, projectServer });
  if (on) must(harness.app.settings.patch({ toolsInAsk: true }));
}

const toolNames = (chat: number): readonly string[] => {
  const body = harness.model.chats()[chat]?.json as { tools?: { function: { name: string } }[] } | undefined;
  return body?.tools?.map((tool) => tool.function.name) ?? [];
};

const sentBody = (chat: number): string => harness.model.chats()[chat]?.body.toString() ?? '';

/** Answers every card with the option at this index and records the questions. */
function answerWith(place: number): readonly string[] {
  const asked: string[] = [];
  harness.app.log.subscribe((events: readonly SessionEvent[]) => {
    for (const event of events) {
      if (event.type !== 'question-asked') continue;
      const { questionId, options } = event.question;
      asked.push(questionText(event.question));
      const option = options.at(place) ?? '';
      void harness.app.lines.answer({ sessionId: harness.sessionId, turn: event.turn, questionId, option });
    }
  });
  return asked;
}

const write = (name: string) =>
  calls('filesystem__write_file', { path: join(project, name), content: 'Written.\n' });

describe('tools in Ask', () => {
  it('[ASK-tools-off] are off: nothing of them is sent, and a call reaches no server', async () => {
    await start([text('Hello.'), write('never.txt'), text('I could not.'), text('Hello.')], false);
    await harness.say('hello');
    expect(toolNames(0).filter((name) => name.includes('__'))).toEqual([]);
    const refused = await harness.say('write it');
    expect(refused.reply?.calls?.[0]).toMatchObject({
      tool: 'filesystem__write_file',
      error: { kind: 'POLICY' },
    });
    expect(existsSync(join(project, 'never.txt'))).toBe(false);
  });

  it('[ASK-tools-off] are neither sent nor promised nor recorded for a model that calls none', async () => {
    await start([text('Hello.')]);
    const { providerId, model } = await harness.app.chosenModel();
    must(harness.app.settings.patch({ modelOptions: { [`${providerId}/${model}`]: { tools: false } } }));
    const { steps } = await harness.say('hello');
    expect(toolNames(0)).toEqual([]);
    expect(sentBody(0)).not.toContain('tools of this request');
    expect(sentBody(0)).toContain('You have no tools here');
    expect(steps).toMatchObject([{ part: 'reply', tools: [] }]);
  });

  it('[ASK-tools-off] send the same bytes before they were switched on and after they were switched off', async () => {
    await start([text('One.'), text('One.'), text('One.')], false);
    const fresh = async (): Promise<void> => {
      const { id: sessionId } = must(harness.app.log.create(project));
      const model = await harness.app.chosenModel();
      const sent = must(harness.app.conversation.send({ sessionId, text: 'hello', runMode: 'ask', model }));
      await sent.done;
    };
    await fresh();
    must(harness.app.settings.patch({ toolsInAsk: true }));
    await fresh();
    must(harness.app.settings.patch({ toolsInAsk: false }));
    await fresh();
    expect(sentBody(2) === sentBody(0)).toBe(true);
    expect(sentBody(1).length).toBeGreaterThan(sentBody(0).length);
  });

  it('[ASK-tools-offered] include what the lists and the project allow, under unique names', async () => {
    await start([text('Hello.')]);
    await harness.say('hello');
    const offered = toolNames(0);
    expect(offered).toEqual(expect.arrayContaining(['project__read_text', 'filesystem__write_file']));
    expect(new Set(offered).size).toBe(offered.length);
    expect(offered.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
  });

  it('[ASK-tools-gate] run a read, and the model reads its result', async () => {
    await start([calls('project__read_text', { path: 'seen.txt' }), text('I know it now.')]);
    const asked = answerWith(0);
    const turn = await harness.say('what is in seen.txt?');
    expect(sentBody(1)).toContain('Only a tool can know this.');
    expect(turn.reply).toMatchObject({ status: 'done', calls: [{ tool: 'mcp://project.read_text' }] });
    expect(asked).toEqual([]);
  });

  it('[STG-origins] are sources of what a later run plans from the reply', async () => {
    const plan = { code: "return { summary: 'noted' };", answer: 'Noted.' };
    await start([
      calls('project__read_text', { path: 'seen.txt' }),
      text('It says: Only a tool can know this.'),
      calls('submit_plan', plan),
    ]);
    await harness.say('what is in seen.txt?');
    const turn = await harness.say('note that', { runMode: 'agent' });
    expect(turn.run?.nodes).toMatchObject([
      { status: 'done', origins: [{ source: 'mcp://project.read_text', trusted: true }] },
    ]);
  });

  it('[ASK-tools-gate] need a yes to exactly the arguments of a write, used once', async () => {
    await start([write('a.txt'), write('a.txt'), text('Done.')]);
    const asked = answerWith(0);
    await harness.say('write a.txt, twice');
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('Written.\n');
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('mcp://filesystem.write_file');
    expect(asked[0]).toContain(JSON.stringify(join(project, 'a.txt')));
  });

  it('[ASK-tools-gate] pass a no on to the model, and nothing is written', async () => {
    await start([write('a.txt'), text('Then not.')]);
    answerWith(-1);
    await harness.say('write a.txt');
    expect(existsSync(join(project, 'a.txt'))).toBe(false);
    expect(sentBody(1)).toContain('APPROVAL_DENIED');
  });
});
