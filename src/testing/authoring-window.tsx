import type { JsonObject } from '#shared/json';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { completeFields, createAuthoringHarness } from './authoring-harness';
import { sampleWorkflow } from './sample-workflows';
import { openTestWindow } from './test-window';

const review = sampleWorkflow({
  WorkflowId: 'review_change',
  Title: 'Review a change',
  UserIntentPatterns: ['Review my change'],
  InstructionText: 'Read the difference.',
  PermittedTools: ['mcp://project.git_diff'],
});
const hidden = sampleWorkflow({
  WorkflowId: 'look_inside',
  Title: 'Look inside',
  UserIntentPatterns: ['Look inside the host'],
  PermittedTools: ['mcp://project.git_diff'],
  InstructionText: 'Look.',
  Visibility: 'hidden',
});

export const click = (element: HTMLElement) => act(async () => void fireEvent.click(element));
export const write = (element: HTMLElement, value: string) =>
  act(async () => void fireEvent.change(element, { target: { value } }));

/** The authoring panel over the real operations, with two published workflows. */
export function createAuthoringWindow() {
  const harness = createAuthoringHarness({ bundled: [review, hidden] });
  const panel = () => within(screen.getByRole('dialog', { name: 'Workflows' }));
  return {
    harness,
    panel,
    async open(authoring = harness.authoring.panel) {
      const opened = await openTestWindow({}, { authoring });
      await act(async () => opened.app.view.set({ dialog: { kind: 'workflows' } }));
      return opened;
    },
    async choose(name: RegExp) {
      const list = await panel().findByRole('list', { name: 'Workflows' });
      await click(within(list).getByRole('button', { name }));
      await panel().findByRole('tab', { name: 'Definition' });
    },
    tab: (name: string) =>
      act(async () => void fireEvent.mouseDown(panel().getByRole('tab', { name }), { button: 0 })),
    /** Whether the definition is read-only. */
    locked: () => panel().getByLabelText<HTMLInputElement>('Title').closest('fieldset')?.disabled === true,
    draftOf(workflowId: string): JsonObject {
      const drafts = harness.store.drafts();
      return (drafts.ok && drafts.value.find((one) => one.workflowId === workflowId)?.fields) || {};
    },
    publishedOf(workflowId: string) {
      const rows = harness.store.published();
      return rows.ok ? rows.value.rows.find((row) => row.definition.WorkflowId === workflowId) : undefined;
    },
    /** Drafts a new workflow that could be published. */
    async draftNew(workflowId = 'review_pulls'): Promise<void> {
      await harness.user('draft_workflow', { workflowId, title: 'Review pulls', description: 'Reviews.' });
      await harness.user('update_workflow', { workflowId, fields: completeFields });
    },
  };
}
