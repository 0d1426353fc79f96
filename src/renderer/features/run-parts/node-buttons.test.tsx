import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { appError, type AppError } from '#shared/app-error';
import type { SessionFact } from '#shared/session-event';
import { runFacts, sampleHash, sampleUsage } from '../../../testing/sample-session';
import { openTestWindow, pretendLayout } from '../../../testing/test-window';

beforeAll(pretendLayout);
afterEach(cleanup);

const run = { turn: 0, runId: 'run-0' };
const shut = appError('TOOL', 'FAILED', 'The disk is full.');
const denied = appError('POLICY', 'APPROVAL_DENIED', 'The write was not approved.');

const over = (error: AppError): readonly SessionFact[] => [
  ...runFacts(),
  { type: 'node-ended', ...run, nodeId: 'write', status: 'failed', summary: '', cached: false, error },
  { type: 'run-ended', ...run, outcome: 'partial', answer: '', usage: sampleUsage },
];

const intended: SessionFact = {
  type: 'write-intended',
  ...run,
  nodeId: 'write',
  callId: 'w1',
  hash: sampleHash,
  tool: 'mcp://filesystem.write_file',
  arguments: {},
};

/** Opens the window with its inspector on the run. */
async function open(facts: readonly SessionFact[]) {
  const { main } = await openTestWindow({ s: facts }, { settings: { inspectorOpen: true } });
  const drawer = await screen.findByRole('article', { name: /^Step / });
  const asked = () => main.calls.flatMap(({ name, input }) => (name === 'run-again' ? [input] : []));
  return { drawer, asked };
}

const press = (button: HTMLElement) => act(async () => void fireEvent.click(button));

describe('the buttons of a node', () => {
  it('[AGX-node-buttons] retry a failed node, or run from here, in the drawer and in the run card', async () => {
    const { drawer, asked } = await open(over(shut));
    await press(within(drawer).getByRole('button', { name: 'Try again: Write the report' }));
    await press(within(drawer).getByRole('button', { name: 'Run from here: Write the report' }));
    const card = screen.getByRole('region', { name: 'Run' });
    await press(within(card).getByRole('button', { name: 'Try again: Write the report' }));
    const turn = { sessionId: 's', turn: 0 };
    expect(asked()).toEqual([turn, { ...turn, from: 'write' }, turn]);
  });

  it('[AGX-node-buttons] only run from here for a completed node, and can be reached by keyboard', async () => {
    const { asked } = await open(over(shut));
    const graph = screen.getByRole('group', { name: 'Plan as a graph' });
    await press(within(graph).getByRole('button', { name: /Hash them/ }));
    const drawer = screen.getByRole('article', { name: 'Step Hash them' });
    expect(within(drawer).queryByRole('button', { name: /^Try again/ })).toBeNull();
    const button = within(drawer).getByRole('button', { name: /^Run from here/ });
    button.focus();
    expect(document.activeElement).toBe(button);
    await press(button);
    expect(asked()).toEqual([{ sessionId: 's', turn: 0, from: 'hash' }]);
  });

  it.each([
    ['while the run is under way', runFacts()],
    ['while nobody knows how a write ended', [...over(shut).slice(0, -1), intended, ...over(shut).slice(-1)]],
  ])('[AGX-node-buttons] are absent %s', async (_when, facts) => {
    await open(facts);
    expect(screen.queryByRole('button', { name: /^(Run from here|Try again)/ })).toBeNull();
  });

  it('[AGX-node-buttons] only run from here for a denied node, which asks again', async () => {
    const { drawer } = await open(over(denied));
    expect(within(drawer).queryByRole('button', { name: /^Try again/ })).toBeNull();
    expect(within(drawer).getByRole('button', { name: /^Run from here/ })).toBeTruthy();
  });
});
