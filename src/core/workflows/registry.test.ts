import { describe, expect, test } from 'vitest';
import { approvingDdr, sampleWorkflow } from '../../testing/sample-workflows';
import { createInMemoryWorkflowStore } from '../../testing/in-memory-workflow-store';
import { createWorkflowRegistry } from './registry';

function start(definitions: Parameters<typeof createInMemoryWorkflowStore>[0]) {
  const store = createInMemoryWorkflowStore(definitions);
  const ddrs = new Map([['WFL-001', approvingDdr(definitions)]]);
  const changes = new Set<() => void>();
  const registry = createWorkflowRegistry({
    store,
    ddr: (id) => ddrs.get(id) ?? null,
    onDdrChange(listener) {
      changes.add(listener);
      return () => void changes.delete(listener);
    },
  });
  const approve: typeof ddrs.set = (id, ddr) => {
    ddrs.set(id, ddr);
    changes.forEach((tell) => tell());
    return ddrs;
  };
  return { registry, shelf: store, approve };
}

const create = sampleWorkflow();

describe('the workflows of a session', () => {
  test('[T6-9-5-no-live-update] [T6-8-4-version] include a publication only after they are loaded again', () => {
    const { registry, shelf: store, approve } = start([create]);
    const pin = registry.lockVersions();
    const newer = sampleWorkflow({ Version: '2.0.0', InstructionText: 'Do it another way.' });
    store.put(newer);
    approve('WFL-001', approvingDdr([newer]));
    expect(registry.view(pin).find('create_ddr')?.definition.Version).toBe('1.0.0');
    expect(registry.view(pin).list()).toHaveLength(1);
    expect(registry.view(registry.lockVersions()).find('create_ddr')?.definition.Version).toBe('2.0.0');
  });

  test('[T6-8-7-storage] [T6-5-5-data] include a published workflow without any change of the tool', () => {
    const { registry, shelf: store, approve } = start([create]);
    const added = sampleWorkflow({ WorkflowId: 'brand_new', Ddr: 'WFL-008' });
    approve('WFL-008', approvingDdr([added], { id: 'WFL-008' }));
    store.put(added);
    expect(
      registry
        .view(null)
        .list()
        .map((row) => row.WorkflowId),
    ).toEqual(['brand_new', 'create_ddr']);
  });
});

describe('drift', () => {
  test('[T6-8-8-drift] excludes a definition that is not the approved one from every list, and names it', () => {
    const { registry, approve } = start([create]);
    expect(registry.view(null).drifted).toEqual([]);
    approve('WFL-001', approvingDdr([], { workflows: { create_ddr: '0'.repeat(64) } }));
    expect(registry.view(null).list()).toEqual([]);
    expect(registry.view(null).drifted.map((row) => row.definition.WorkflowId)).toEqual(['create_ddr']);
  });

  test('[T6-8-3-update-ddr] keeps a changed definition from running on the earlier approval', () => {
    const { registry, shelf: store } = start([create]);
    store.put(sampleWorkflow({ PermittedTools: ['agent_ddr_manager', 'send_email'] }));
    expect(registry.view(null).manifest('create_ddr', () => true)).toMatchObject({ ok: false });
  });
});
