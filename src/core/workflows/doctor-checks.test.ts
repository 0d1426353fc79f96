import { expect, it } from 'vitest';
import type { UnreadableWorkflow } from '../ports/workflow-store';
import { approvingDdr, sampleWorkflow } from '../../testing/sample-workflows';
import { createInMemoryWorkflowStore } from '../../testing/in-memory-workflow-store';
import { checkWorkflows } from './doctor-checks';
import { createWorkflowRegistry } from './registry';

it('the doctor lists each workflow that waits for an approval, and says why', () => {
  const approved = sampleWorkflow();
  const lost = sampleWorkflow({ WorkflowId: 'no_record', Ddr: 'WFL-009' });
  const store = createInMemoryWorkflowStore([approved, lost]);
  const registry = createWorkflowRegistry({
    store,
    ddr: (id) => (id === 'WFL-001' ? approvingDdr([approved]) : null),
    onDdrChange: () => () => undefined,
  });
  expect(checkWorkflows(registry)).toEqual([
    {
      name: 'workflows',
      ok: true,
      detail: '2 published, 1 not approved: no_record (its design record WFL-009 does not exist)',
    },
  ]);
});

function checkOf(
  definitions: Parameters<typeof createInMemoryWorkflowStore>[0],
  record: Parameters<typeof approvingDdr>[0],
  { problems = [], drafts = [] }: { problems?: UnreadableWorkflow[]; drafts?: UnreadableWorkflow[] } = {},
) {
  const registry = createWorkflowRegistry({
    store: createInMemoryWorkflowStore(definitions),
    ddr: (id) => (id === 'WFL-001' ? approvingDdr(record) : null),
    onDdrChange: () => () => undefined,
  });
  return checkWorkflows({ ...registry, problems: () => problems, draftProblems: () => drafts });
}
const waiting = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    sampleWorkflow({ WorkflowId: `flow_${String(at)}`, Ddr: 'WFL-009' }),
  );
const reason = '(its design record WFL-009 does not exist)';

it('the doctor names at most five workflows that wait for an approval, and counts the others', () => {
  const five = ['flow_0', 'flow_1', 'flow_2', 'flow_3', 'flow_4'].map((id) => `${id} ${reason}`).join('; ');
  expect(checkOf(waiting(5), [])[0]?.detail).toBe(`5 published, 5 not approved: ${five}`);
  expect(checkOf(waiting(7), [])[0]?.detail).toBe(`7 published, 7 not approved: ${five} and 2 more`);
  const one = sampleWorkflow();
  expect(checkOf([one], [one])).toEqual([{ name: 'workflows', ok: true, detail: '1 published' }]);
});

it('[T6-8-8-drift] the doctor fails for a definition that is not the approved one, with what to do', () => {
  const approved = sampleWorkflow({ InstructionText: 'Do it as approved.' });
  expect(checkOf([sampleWorkflow()], [approved]).slice(1)).toEqual([
    {
      name: 'workflow create_ddr',
      ok: false,
      detail:
        'Halted: the definition in use is not the one approved in WFL-001. Read the definition and WFL-001, then publish the definition again with your approval, or restore the one that was approved. Until then no workflow starts by itself.',
    },
  ]);
});

it('[T6-8-1-doctor] the doctor fails for files that cannot be read, of workflows and of drafts', () => {
  const problem = { file: 'a.json', field: 'rows', rule: 'shape', reason: 'It is missing.', workflowId: 'a' };
  const other = { ...problem, file: 'b.json', field: '', workflowId: null };
  const hint = 'Fix these files or move them elsewhere. Patina reads them again immediately.';
  const halted = 'These workflows are halted, and no workflow starts by itself.';
  const check = (name: string, message: string, problems: object[], places: string) => ({
    name,
    ok: false,
    detail: `${places} ${message} ${hint}`,
    error: { kind: 'CONFIG', code: 'INVALID', message, problems, hint, retryable: false },
  });
  expect(checkOf([], [], { problems: [problem, other], drafts: [other] })).toEqual([
    check('workflows', halted, [problem, other], 'a.json: rows: It is missing. b.json: It is missing.'),
    check('workflow drafts', 'These drafts cannot be used.', [other], 'b.json: It is missing.'),
  ]);
});
