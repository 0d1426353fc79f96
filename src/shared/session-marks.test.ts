import { expect, it } from 'vitest';
import { appError, type AppError } from './app-error';
import type { SessionFact } from './session-event';
import { marksAfter, noMarks } from './session-marks';

const ended = (outcome: 'failed' | 'done', error?: AppError): SessionFact => ({
  type: 'run-ended',
  turn: 0,
  runId: 'run_1',
  outcome,
  answer: '',
  usage: { modelTurns: 0, inputTokens: 0, outputTokens: 0 },
  ...(error && { error }),
});

it('[RAIL-failed] a run that fails marks its session as failed; one whose write the user declined does not', () => {
  expect(marksAfter(noMarks, ended('failed', appError('TOOL', 'TIMEOUT', 'Too late.'))).failed).toBe(true);
  expect(marksAfter(noMarks, ended('failed')).failed).toBe(true);
  const declined = appError('POLICY', 'APPROVAL_DENIED', 'It was not approved.');
  expect(marksAfter(noMarks, ended('failed', declined)).failed).toBe(false);
  expect(marksAfter({ ...noMarks, failed: true }, ended('done')).failed).toBe(false);
});
