import { afterEach, expect, it } from 'vitest';
import { turnAt } from '#shared/session-state';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let harness: MainHarness | null = null;
afterEach(async () => {
  await harness?.close();
  harness = null;
});

it('[CTX-line-parameters] parameters of a line stay with it while it waits and when it is answered again', async () => {
  const replies = ['One.', 'Two.', 'Three.', 'Two, again.', 'Two, briefly.'].map((text) => ({ text }));
  harness = await startMain({ replies });
  const { app, sessionId } = harness;
  const model = await app.chosenModel();
  const asked = { sessionId, runMode: 'ask', model, ui: true } as const;
  const first = must(await app.lines.send({ ...asked, text: 'One?', parameters: { effort: 'high' } }));
  const waiting = must(await app.lines.send({ ...asked, text: 'Two?', parameters: { effort: 'low' } }));
  expect(must(app.log.open(sessionId)).state.queue?.lines).toMatchObject([{ parameters: { effort: 'low' } }]);
  await Promise.all([first.done, waiting.done]);
  await must(await app.lines.send({ ...asked, text: 'Three?' })).done;
  expect(turnAt(must(app.log.open(sessionId)).state, 1)).toMatchObject({ parameters: { effort: 'low' } });
  await must(app.conversation.regenerate({ sessionId, turn: 1, model })).done;
  const parameters = { maxOutputTokens: 9 };
  await must(app.conversation.regenerate({ sessionId, turn: 1, model, parameters })).done;

  const sent = harness.model.chats().map(({ json }) => json as Record<string, unknown>);
  expect(sent.map((body) => body['reasoning_effort'])).toEqual(['high', 'low', undefined, 'low', undefined]);
  expect(sent[4]).toMatchObject({ max_tokens: 9 });
});

it('[CTX-line-parameters] a goal stores and sends the effort alone', async () => {
  harness = await startMain({ replies: [{ text: 'Nothing to do.' }] });
  const { app, sessionId } = harness;
  const model = await app.chosenModel();
  const line = { sessionId, text: 'Do it', runMode: 'agent', model, ui: true } as const;
  const parameters = { effort: 'high', temperature: 1, stop: ['END'] } as const;
  await must(await app.lines.send({ ...line, parameters: { ...parameters, stop: ['END'] } })).done;
  expect(turnAt(must(app.log.open(sessionId)).state, 0)?.parameters).toEqual({ effort: 'high' });
  const [sent] = harness.model.chats().map(({ json }) => json);
  expect(sent).toMatchObject({ reasoning_effort: 'high' });
  expect(sent).not.toHaveProperty('temperature');
  expect(sent).not.toHaveProperty('stop');
});

const plan = {
  nodes: [
    { id: 'list', code: "return { summary: '', state: { rows: [1] } };" },
    { id: 'read', kind: 'llm', deps: ['list'], prompt: 'Say how many rows there are.' },
  ],
  answer: { llm: true, prompt: 'Say it briefly.' },
};
const planned = { toolCalls: [{ name: 'submit_plan', arguments: JSON.stringify(plan) }] };

it('[MDL-run-effort] the effort of the model, the session and the line applies to each model call of a run', async () => {
  const run = [planned, { text: 'One row.' }, { text: 'One.' }];
  harness = await startMain({ replies: [...run, ...run, ...run] });
  const { app, sessionId } = harness;
  const model = await app.chosenModel();
  const goal = { sessionId, text: 'Count the rows', runMode: 'agent', model, ui: true } as const;
  const start = async (parameters?: { effort: 'low' | 'medium' | 'high' }) => {
    const before = harness?.model.chats().length ?? 0;
    const { id } = must(app.log.create(app.project()));
    await must(await app.lines.send({ ...goal, sessionId: id, ...(parameters && { parameters }) })).done;
    const sent = harness?.model.chats().slice(before) ?? [];
    return sent.map(({ json }) => (json as Record<string, unknown>)['reasoning_effort']);
  };
  expect(await start()).toEqual([undefined, undefined, undefined]);
  // The plan and the replies of the earlier run are used again for the same effort, and for no other.
  expect(await start()).toEqual([]);
  expect(await start({ effort: 'low' })).toEqual(['low', 'low', 'low']);
  must(app.settings.patch({ modelOptions: { [`${model.providerId}/${model.model}`]: { effort: 'low' } } }));
  expect(await start()).toEqual([]);
  expect(await start({ effort: 'high' })).toEqual(['high', 'high', 'high']);
});
