import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Plan } from '#shared/plan';
import { ok } from '#shared/result';
import type { PlanDecision } from '#shared/plan-review';
import type { ProposedPlan, RunState } from '#shared/session-state';
import { PlanStepEditor } from './plan-step-editor';
import { usePlanEdit } from './use-plan-edit';

afterEach(cleanup);

const plan = Plan.parse({
  goal: 'List',
  nodes: [
    {
      id: 'list',
      title: 'List',
      kind: 'script',
      code: 'return { summary: "" };',
      params: { path: 'src', depth: 2, names: ['a', 'b'] },
    },
  ],
  answer: '',
});
const proposal: ProposedPlan = { stage: 1, plan, planHash: 'p', source: 'model' };
const check = ({ plan: edited }: PlanDecision) =>
  Promise.resolve(ok({ findings: [], plan: Plan.parse(edited ?? plan) }));
const run = { nodes: [] } as unknown as RunState;

interface EditorProps {
  readonly seen: (edit: ReturnType<typeof usePlanEdit>) => void;
  /** Another step is on the screen. */
  readonly away?: boolean;
}

function Editor({ seen, away = false }: EditorProps) {
  const edit = usePlanEdit('run-0', proposal, check);
  seen(edit);
  const [node] = edit.plan.nodes;
  return node && !away ? <PlanStepEditor run={run} node={node} edit={edit} /> : null;
}

it('[REV-params] a step has one field for each parameter; an invalid text is a finding and keeps the value', async () => {
  let edit: ReturnType<typeof usePlanEdit> | undefined;
  render(<Editor seen={(now) => (edit = now)} />);
  const type = (name: string, value: string) =>
    fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } });
  const params = () => edit?.plan.nodes[0]?.params;
  type('path', 'docs');
  expect(params()).toMatchObject({ path: 'docs', depth: 2 });
  type('depth', '-');
  expect(params()).toMatchObject({ path: 'docs', depth: 2 });
  expect(screen.getByRole('list', { name: 'Problems' }).textContent).toContain('“depth” is not valid JSON');
  expect(edit?.preview).toBeUndefined();
  type('depth', '-1');
  expect(params()).toMatchObject({ path: 'docs', depth: -1 });
  await waitFor(() => expect(edit?.preview?.findings).toEqual([]));
  expect(edit?.decision.plan).toEqual(edit?.plan);
  edit?.undo();
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'depth' })).toHaveProperty('value', '2'));
});

it('[REV-params] an invalid text is there again when the step is shown again', () => {
  const { rerender } = render(<Editor seen={() => undefined} />);
  fireEvent.change(screen.getByRole('textbox', { name: 'depth' }), { target: { value: '-' } });
  rerender(<Editor seen={() => undefined} away />);
  expect(screen.queryByRole('textbox', { name: 'depth' })).toBeNull();
  rerender(<Editor seen={() => undefined} />);
  expect(screen.getByRole('textbox', { name: 'depth' })).toHaveProperty('value', '-');
  expect(screen.getByRole('list', { name: 'Problems' }).textContent).toContain('“depth” is not valid JSON');
});

it('keeps the field of a parameter, and the focus, while its text grows, and shows the name of a long one', () => {
  render(<Editor seen={() => undefined} />);
  const field = screen.getByRole('textbox', { name: 'path' });
  field.focus();
  fireEvent.change(field, { target: { value: 'a'.repeat(300) } });
  expect(document.activeElement).toBe(field);
  expect(field).toHaveProperty('value', 'a'.repeat(300));
  expect(screen.getByRole('textbox', { name: 'names' })).toHaveProperty('tagName', 'TEXTAREA');
  expect(screen.getByText('names')).toBeTruthy();
});
