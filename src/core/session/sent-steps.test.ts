import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SentStepView } from '#shared/sent-step';
import type { SessionEvent } from '#shared/session-event';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { systemMessage } from './prompt';
import { sentSteps } from './sent-steps';

const harnesses: MainHarness[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(replies: NonNullable<MainHarnessOptions['replies']>) {
  const project = mkdtempSync(join(tmpdir(), 'patina-sent-'));
  folders.push(project);
  const harness = await startMain({ project, replies });
  harnesses.push(harness);
  const wire = () =>
    harness.model.chats().map(({ json }) => {
      const { messages, tools = [] } = json as {
        messages: { role: string; content: string }[];
        tools?: { function: { name: string } }[];
      };
      return {
        system: messages[0]?.role === 'system' ? messages[0].content : '',
        tools: tools.map((tool) => tool.function.name),
      };
    });
  const steps = (turn: number) =>
    sentSteps(must(harness.app.log.events(harness.sessionId)), turn, (text) => text.length);
  return { ...harness, wire, steps };
}

const asSent = ({ blocks, tools }: SentStepView) => ({
  system: systemMessage(blocks.map(({ source, text }) => ({ source, text: text ?? '(lost)' }))),
  tools,
});

const plan = (more: object) => ({ toolCalls: [{ name: 'submit_plan', arguments: more }] });

describe('the stored request of a model call', () => {
  it('[P3-W-inspector] equals the bytes that were sent, for every call of a reply', async () => {
    const listModes = { toolCalls: [{ name: 'agent_list_modes', arguments: {} }] };
    const { say, steps, wire, app, sessionId } = await start([
      listModes,
      { text: 'There are three.' },
      { text: 'Again.' },
    ]);
    await say('tell me how wide the sea is');
    must(await app.workspace.call({ op: 'choose', promptPack: 'concise', sessionId }));
    await say('and how deep is it');
    const kept = [...steps(0), ...steps(1)];
    expect(kept).toHaveLength(3);
    expect(kept.map(asSent)).toEqual(wire());
    expect(kept.map(({ promptPack }) => promptPack)).toEqual(['default', 'default', 'concise']);
    expect(new Set(kept.map(({ snapshot }) => snapshot)).size).toBe(1);
  });

  it('[P3-W-inspector] equals the bytes that were sent, for every call of a run: plan, repair, step and answer', async () => {
    const { say, steps, wire } = await start([
      plan({ nodes: [{ id: 'Bad Id', kind: 'llm', prompt: 'Judge.' }], answer: { llm: true } }),
      plan({ nodes: [{ id: 'judge', kind: 'llm', prompt: 'Judge it.' }], answer: { llm: true } }),
      { text: 'It is good.' },
      { text: 'Good, all in all.' },
    ]);
    const turn = await say('judge whether the sea is wide', { runMode: 'agent' });
    expect(turn.run).toMatchObject({ status: 'done' });
    const kept = steps(0);
    expect(kept.map(({ part, node }) => [part, node])).toEqual([
      ['plan', undefined],
      ['repair', undefined],
      ['node', 'judge'],
      ['answer', undefined],
    ]);
    expect(kept.map(asSent)).toEqual(wire());
  });

  it('[P3-W-inspector] is not shown when it no longer equals what was sent', async () => {
    const { say, app, sessionId } = await start([{ text: 'Hello.' }]);
    await say('hello there');
    const damaged = must(app.log.events(sessionId)).map((event): SessionEvent =>
      event.type === 'model-step-started'
        ? {
            ...event,
            texts: Object.fromEntries(Object.entries(event.texts).map(([hash, text]) => [hash, `${text} `])),
          }
        : event,
    );
    const [step] = sentSteps(damaged, 0, () => 1);
    expect(step?.blocks.length).toBeGreaterThan(0);
    expect(step?.blocks.every(({ text }) => text === null)).toBe(true);
  });
});
