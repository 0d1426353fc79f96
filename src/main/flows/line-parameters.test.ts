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

it('[CTX-line-parameters] a goal stores no parameters, because its plan sets them', async () => {
  harness = await startMain({ replies: [{ text: 'Nothing to do.' }] });
  const { app, sessionId } = harness;
  const model = await app.chosenModel();
  const line = { sessionId, text: 'Do it', runMode: 'agent', model, ui: true } as const;
  await must(await app.lines.send({ ...line, parameters: { effort: 'high' } })).done;
  expect(turnAt(must(app.log.open(sessionId)).state, 0)).not.toHaveProperty('parameters');
  expect(harness.model.chats()[0]?.json).not.toHaveProperty('reasoning_effort');
});
