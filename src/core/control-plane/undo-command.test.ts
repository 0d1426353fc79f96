import { expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { BuiltInToolContext } from '../ports/built-in-tool';
import { createUndoRunTool } from './undo-command';

it('an undo that changed nothing says where the others can be undone, in the window and in a terminal', async () => {
  const reason = 'a.txt has changed since the run.';
  const refused = [{ callId: 'call-1', target: 'a.txt', reason, diff: null }];
  const { execute } = createUndoRunTool({
    undo: () => Promise.resolve(ok({ runId: 'run-1', undone: [], refused })),
  });
  const refusal = await execute('{"runId":"run-1"}', { sessionId: 's' } as BuiltInToolContext);
  expect(refusal).toMatchObject({ error: { code: 'STATE', message: `Nothing was undone. ${reason}` } });
  expect(!refusal.ok && refusal.error.hint).toMatch(/list of writes under the run.*"patina undo run-1"/);
});
