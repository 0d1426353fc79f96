import { expect, it } from 'vitest';
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
