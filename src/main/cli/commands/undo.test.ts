import { expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { UndoReport } from '#shared/undo';
import type { Terminal } from '../output';
import { createProgram } from '../program';
import { undoCommand, type UndoOptions } from './undo';

async function printed(report: Partial<UndoReport>, options: UndoOptions = {}) {
  const lines: string[] = [];
  const whole: UndoReport = { runId: 'run_1', undone: [], refused: [], ...report };
  const app = {
    log: { sessionOfRun: () => ok('ses_1') },
    undo: { undo: () => Promise.resolve(ok(whole)) },
  } as unknown as Parameters<typeof undoCommand>[0];
  const terminal = { json: false, out: (text: string) => lines.push(text) } as unknown as Terminal;
  const code = await undoCommand(app, terminal, 'run_1', options);
  return { code, text: lines.join('') };
}

const refused = [{ callId: 'c2', target: 'b.txt', reason: 'b.txt was changed after.', diff: null }];

it('[UNDO-cli] says that a file was moved back, because its target reads as the run moved it', async () => {
  const undone = [{ callId: 'c1', target: 'a.txt → b.txt', result: 'moved' as const }];
  expect(await printed({ undone })).toEqual({ code: 0, text: 'moved back: a.txt → b.txt\n' });
});

it('[UNDO-cli] says that nothing was undone, and how to undo the other writes', async () => {
  const { code, text } = await printed({ refused });
  expect(code).toBe(1);
  expect(text).toContain('Nothing was undone. → --partial undoes the other writes');
  expect((await printed({ refused }, { partial: true })).text).not.toContain('--partial');
});

it('[UNDO-cli] an empty run is a usage error', async () => {
  const unused = () => Promise.resolve();
  const program = createProgram('0', unused, () => undefined, unused);
  const parsed = program.parseAsync(['undo', ' '], { from: 'user' });
  await expect(parsed).rejects.toThrow('Give the id of a run, as patina agent reports it.');
});
