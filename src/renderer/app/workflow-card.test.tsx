import type { SessionFact } from '#shared/session-event';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeNotes } from '../../testing/guarded-workflows';
import { created, sent } from '../../testing/sample-routing';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

const talk = (...facts: readonly SessionFact[]) => openTestWindow({ talk: [created, ...facts] });
const click = (element: HTMLElement) => act(async () => void fireEvent.click(element));
const run = { workflowRunId: 'wfr-1', turn: 0 };
const started: SessionFact = {
  type: 'workflow-started',
  ...run,
  definition: writeNotes,
  hash: 'h',
  by: 'model',
  cause: { toolCallId: 'c' },
  proposed: { file: 'guess.md' },
};
const given: SessionFact = { type: 'workflow-inputs-given', ...run, inputs: { file: 'notes.md' } };
const reply: readonly SessionFact[] = [
  { type: 'reply-started', turn: 0, model: { providerId: 'p', model: 'm' }, providerName: 'P' },
  { type: 'reply-ended', turn: 0, outcome: 'done' },
];
const card = () => within(screen.getByRole('region', { name: 'Workflow: Write the notes' }));

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

describe('the workflow of a session', () => {
  it('[T6-8-5-deprecated] [T6-7-8-experimental] shows its warnings, also when the user started it, and draws its title in its order', async () => {
    const title = 'Write \u202eseton eht';
    const definition = {
      ...writeNotes,
      Title: title,
      Status: 'deprecated' as const,
      Visibility: 'experimental' as const,
    };
    await talk(sent('/workflow write_notes'), ...reply, { ...started, by: 'user', definition });
    const shown = within(screen.getByRole('region', { name: 'Workflow: Write \\u202eseton eht' }));
    expect(shown.getByText(/^This workflow is deprecated: it still runs/)).toBeTruthy();
    expect(shown.getByText(/^This workflow is experimental/)).toBeTruthy();
    expect(shown.getByText('Write \\u202eseton eht').tagName).toBe('BDI');
  });

  it('shows no warning otherwise', async () => {
    await talk(sent('write the notes'), started);
    expect(card().queryByText(/This workflow is/)).toBeNull();
  });

  it('[T6-6-7-inputs] asks for its inputs, and shows the model’s proposals for review', async () => {
    const { main } = await talk(sent('write the notes'), started);
    expect(card().getByRole('status').textContent).toBe('Waiting for your answers');
    const field = card().getByLabelText<HTMLInputElement>('Which file?');
    expect(field.value).toBe('guess.md');
    await act(async () => void fireEvent.change(field, { target: { value: 'notes.md' } }));
    await click(card().getByRole('button', { name: 'Continue' }));
    expect(main.calls.at(-1)).toMatchObject({
      name: 'workflow-act',
      input: { act: { type: 'give-inputs', inputs: { file: 'notes.md' } } },
    });
  });

  it('[T6-7-6-errors] that was stopped by an error offers the next steps, and shows the error where it happened', async () => {
    const error: SessionFact = {
      type: 'workflow-error-raised',
      ...run,
      workflowId: 'write_notes',
      kind: 'tool-failed',
      message: 'The disk is full.',
      halts: true,
    };
    const { main } = await talk(sent('write the notes'), ...reply, started, given, error);
    expect(await screen.findByRole('note', { name: 'Workflow error' })).toBeTruthy();
    await click(card().getByRole('button', { name: 'Retry' }));
    expect(main.calls.find(({ name }) => name === 'workflow-act')).toMatchObject({
      input: { act: { type: 'choose', choice: 'retry' } },
    });
    await click(card().getByRole('button', { name: 'Cancel workflow' }));
    expect(main.calls.filter(({ name }) => name === 'workflow-act').at(-1)).toMatchObject({
      input: { act: { type: 'cancel' } },
    });
  });

  it('[T6-6-6-completion] that is complete says so, offers follow-ups, and disappears from above the composer', async () => {
    const ended: SessionFact = {
      type: 'workflow-ended',
      ...run,
      outcome: 'completed',
      summary: 'Written.',
      by: 'model',
    };
    await talk(sent('write the notes'), ...reply, started, given, ended);
    expect(await screen.findByText('Written.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Send them to the team.' })).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Workflow: Write the notes' })).toBeNull();
  });

  it('[T6-6-4-order] is shown between the questions, in order of time', async () => {
    const asked = (questionId: string, text: string): SessionFact => ({
      type: 'question-asked',
      turn: 0,
      question: {
        questionId,
        asker: 'model',
        text,
        options: ['Yes', 'No'],
        binding: true,
        mode: 'general',
        focusId: null,
        asked: 1,
      },
    });
    const answered = (questionId: string): SessionFact => ({
      type: 'question-answered',
      turn: 0,
      questionId,
      option: 'Yes',
      by: 'card',
    });
    const [start, end] = ['Start the workflow “Write the notes”?', 'Is it complete?'];
    await talk(
      ...[sent('write the notes'), ...reply, asked('q1', start), answered('q1'), started, given],
      ...[asked('q2', end), answered('q2')],
    );
    const told = (await screen.findByText('The workflow has the answers it needs.')).closest('li, article');
    const said = told?.textContent ?? '';
    const places = [start, 'The workflow has the answers it needs.', end].map((text) => said.indexOf(text));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('[T6-7-7-consent] an approval shows the exact call, every argument in a monospaced font', async () => {
    const call = {
      tool: 'mcp://filesystem.write_file',
      arguments: { path: 'a.md', content: 'x' },
      hash: 'h',
    };
    const question: SessionFact = {
      type: 'question-asked',
      turn: 0,
      question: {
        questionId: 'q',
        asker: 'model',
        text: 'Write a.md',
        options: ['Approve', 'No'],
        binding: true,
        mode: 'general',
        focusId: null,
        asked: 1,
        call,
      },
    };
    await talk(sent('write the notes'), ...reply, started, given, question);
    const block = await screen.findByLabelText('Arguments');
    expect(block.tagName).toBe('PRE');
    expect(JSON.parse(block.textContent)).toEqual(call.arguments);
    expect(screen.getByText(call.tool)).toBeTruthy();
  });
});
