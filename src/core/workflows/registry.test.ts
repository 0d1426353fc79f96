import { describe, expect, test } from 'vitest';
import { appError } from '#shared/app-error';
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
  return { registry, store, approve };
}

const create = sampleWorkflow();

describe('the workflows of a session', () => {
  test('[T6-9-5-no-live-update] [T6-8-4-version] include a publication only after they are loaded again', () => {
    const { registry, store, approve } = start([create]);
    const pin = registry.lockVersions();
    const newer = sampleWorkflow({ Version: '2.0.0', InstructionText: 'Do it another way.' });
    store.put(newer);
    approve('WFL-001', approvingDdr([newer]));
    expect(registry.view(pin).find('create_ddr')?.definition.Version).toBe('1.0.0');
    expect(registry.view(pin).list()).toHaveLength(1);
    expect(registry.view(registry.lockVersions()).find('create_ddr')?.definition.Version).toBe('2.0.0');
  });

  test('[T6-8-7-storage] [T6-5-5-data] include a published workflow without any change of the tool', () => {
    const { registry, store, approve } = start([create]);
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
    const { registry, store } = start([create]);
    store.put(sampleWorkflow({ PermittedTools: ['agent_ddr_manager', 'send_email'] }));
    expect(registry.view(null).manifest('create_ddr', () => true)).toMatchObject({ ok: false });
  });
});

describe('a store that cannot be read', () => {
  const storage = { ok: false, error: appError('HOST', 'STORAGE', 'The disk is full.') } as const;

  test('[T6-8-1-startup] is a problem of the registry, which then has no workflow', () => {
    const { registry, store } = start([create]);
    store.published = () => storage;
    expect(registry.problems()).toEqual([
      { file: 'workflows', field: '', rule: 'readable', reason: 'The disk is full.', workflowId: null },
    ]);
    expect(registry.view(null).all).toEqual([]);
    expect([...registry.view(null).unreadable]).toEqual([['workflows', 'workflows: The disk is full.']]);
  });

  test('[DAMAGE-halted] halts only the workflow of an unusable file, wherever it is named', () => {
    const { registry, store } = start([create]);
    const published = store.published();
    if (!published.ok) throw new Error(published.error.message);
    const problem = { file: '/h/bad_one.json', field: 'rows', rule: 'shape', reason: 'It is missing.' };
    const problems = [{ ...problem, workflowId: 'bad_one' }];
    store.published = () => ({ ok: true, value: { ...published.value, problems } });
    const view = registry.view(null);
    const line = '/h/bad_one.json: rows: It is missing.';
    const message = 'Workflow ‘bad_one’ is halted: its published definition cannot be read.';
    expect(registry.problems()).toEqual(problems);
    expect(view.manifest('bad_one', () => true)).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'STATE',
        message,
        tool: 'agent_workflow_registry',
        hint: `Fix the file or move it elsewhere. Patina reads it again immediately. ${line}`,
      },
    });
    expect(view.match('use bad_one', () => true)).toEqual([
      {
        workflowId: 'bad_one',
        matchScore: 1,
        explanation: 'The message names the workflow.',
        runnable: false,
        note: message,
      },
    ]);
    expect(view.match('create a new ddr', () => true)).toMatchObject([{ workflowId: 'create_ddr' }]);
    expect(view.manifest('create_ddr', () => true)).toMatchObject({ ok: true });
  });
});

describe('a removed workflow', () => {
  const storage = { ok: false, error: appError('HOST', 'STORAGE', 'The disk is full.') } as const;
  const others = 'Call agent_workflow_registry with list_workflows or match_workflow; there are no others.';
  const hintWith = (reason: string | null, removable = true) => {
    const { registry, store } = start([]);
    const decision = { by: 'Ada', at: '', reason: reason ?? '', ddr: 'WFL-001' };
    const row = { what: 'removed', definition: create, hash: 'h', decision } as const;
    const earlier = { ...row, what: 'published', decision: { ...decision, reason: 'Published.' } } as const;
    if (removable) store.removed = () => ({ ok: true, value: [create] });
    else store.removed = () => storage;
    store.history = () => (reason === null ? storage : { ok: true, value: [earlier, row] });
    const found = registry.view(null).manifest('create_ddr', () => true);
    return found.ok ? null : found.error.hint;
  };

  test.each([
    ['Nobody uses it', `It was removed: Nobody uses it. ${others}`],
    ['Nobody uses it!', `It was removed: Nobody uses it! ${others}`],
    ['Wait. Really', `It was removed: Wait. Really. ${others}`],
    ['x'.repeat(300), `It was removed: ${'x'.repeat(200)}. ${others}`],
    ['', `It was removed: no reason is recorded. ${others}`],
    [null, `It was removed: no reason is recorded. ${others}`],
  ])('[T6-8-9-removal] is unknown, with the reason of its removal: %s', (reason, hint) => {
    expect(hintWith(reason)).toBe(hint);
  });

  test('is only unknown while the removed ones cannot be read', () => {
    expect(hintWith('Nobody uses it.', false)).toBe(others);
  });
});

describe('the view of a session', () => {
  test('[T6-8-4-version] has no workflow that was published later or whose version is gone', () => {
    const { registry, store } = start([create]);
    expect(registry.view({}).all).toEqual([]);
    expect(registry.view({ create_ddr: 'gone' }).all).toEqual([]);
    store.definition = () => ({ ok: false, error: appError('HOST', 'STORAGE', 'The disk is full.') });
    expect(registry.view({ create_ddr: 'gone' }).all).toEqual([]);
    expect(registry.view(registry.lockVersions()).all).toHaveLength(1);
  });

  test('is made once for all sessions that started with the same versions, and again after a change', () => {
    const { registry, store, approve } = start([create]);
    const first = registry.view({ a_one: 'x' });
    expect(registry.view({ a_one: 'x' })).toBe(first);
    expect(registry.view(null)).toBe(registry.view(null));
    expect(registry.view({})).not.toBe(registry.view(null));
    for (let at = 0; at < 5; at += 1) registry.view({ a_one: String(at) });
    expect(registry.view({ a_one: 'x' })).toBe(first);
    registry.view({ a_one: 'the ninth' });
    expect(registry.view({ a_one: 'x' })).not.toBe(first);
    for (const change of [() => store.put(create), () => void approve('WFL-009', approvingDdr([]))]) {
      const before = registry.view(null);
      change();
      expect(registry.view(null)).not.toBe(before);
    }
  });

  test('lists its workflows by id, and says in a hint why one cannot run', () => {
    const off = sampleWorkflow({ WorkflowId: 'aa_off', Status: 'disabled' });
    const loose = sampleWorkflow({ WorkflowId: 'no_record', Ddr: 'WFL-009' });
    const { registry, approve } = start([loose, create, off]);
    const ids = registry.view(null).all.map(({ definition }) => definition.WorkflowId);
    expect(ids).toEqual(['aa_off', 'create_ddr', 'no_record']);
    approve('WFL-001', approvingDdr([off], { workflows: { create_ddr: 'x' } }));
    const hintOf = (id: string) => {
      const found = registry.view(null).manifest(id, () => true);
      return found.ok ? null : [found.error.hint, found.error.tool];
    };
    const tool = 'agent_workflow_registry';
    expect(hintOf('aa_off')).toEqual(['Choose another workflow.', tool]);
    expect(hintOf('no_record')).toEqual(['Of ‘no_record’: its design record WFL-009 does not exist.', tool]);
    expect(hintOf('create_ddr')).toEqual([
      'Read the definition and WFL-001, then publish the definition again with your approval, or restore the one that was approved.',
      tool,
    ]);
  });

  test('joins the reasons of a match that is not runnable, and warns of one that is', () => {
    const old = sampleWorkflow({ Status: 'deprecated', Visibility: 'experimental' });
    const { registry } = start([old]);
    const noteOf = (unmet: readonly string[]) =>
      registry.view(null).match(
        'create a new ddr',
        () => true,
        () => unmet,
      )[0];
    expect(noteOf(['One.', 'Two.'])).toMatchObject({ runnable: false, note: 'One. Two.' });
    expect(noteOf([])).toMatchObject({
      runnable: true,
      note: 'Workflow ‘create_ddr’ is deprecated. Workflow ‘create_ddr’ is experimental: the user confirms its start.',
    });
    const plain = start([create]).registry.view(null);
    expect(plain.match('create a new ddr', () => true)[0]).not.toHaveProperty('note');
    expect(plain.match('create a new ddr', () => true)[0]).toMatchObject({ runnable: true });
  });
});

test('the registry tells its listeners of changes until they unsubscribe', () => {
  const { registry, store, approve } = start([create]);
  const heard: string[] = [];
  const stops = [
    registry.onChange(() => heard.push('store')),
    registry.onItemsChange(() => heard.push('items')),
  ];
  store.put(create);
  expect(heard).toEqual(['store', 'items']);
  approve('WFL-001', approvingDdr([create]));
  expect(heard).toEqual(['store', 'items', 'items']);
  stops.forEach((stop) => stop());
  store.put(create);
  approve('WFL-001', approvingDdr([create]));
  expect(heard).toHaveLength(3);
  const before = registry.view(null);
  registry.close();
  store.put(create);
  approve('WFL-001', approvingDdr([create]));
  expect(registry.view(null)).toBe(before);
});
