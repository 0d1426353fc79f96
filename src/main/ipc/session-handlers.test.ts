import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { createSessionHandlers } from './session-handlers';

let harness: MainHarness;
beforeAll(async () => {
  harness = await startMain({ replies: [{ text: 'Copper is a metal.', gated: true }] });
});
afterAll(() => harness.close());

it('[SES-delete] a session that works is not asked about: it is refused at once, and deleted after its end', async () => {
  const { app, sessionId } = harness;
  const confirm = vi.fn(() => Promise.resolve(true));
  const handlers = createSessionHandlers(app, confirm);
  const sent = await harness.send('what is copper?');
  await harness.model.chat(0);
  const refused = await handlers['session-delete']({ sessionId });
  expect(refused).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
  expect(confirm).not.toHaveBeenCalled();
  must(app.conversation.stop(sessionId, sent.turn));
  await sent.done;
  expect(await handlers['session-delete']({ sessionId })).toEqual({ ok: true, value: { deleted: true } });
  expect(confirm).toHaveBeenCalledOnce();
});
