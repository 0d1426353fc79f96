import { afterEach, describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { authoringOperations } from '#shared/workflow-authoring';
import { createAuthoringHarness, type AuthoringHarnessOptions } from '../../../testing/authoring-harness';
import { contextOf } from '../../../testing/ddr-harness';
import { sampleWorkflow } from '../../../testing/sample-workflows';
import { createWorkflowRegistry } from '../registry';

let harness: ReturnType<typeof createAuthoringHarness>;
afterEach(() => harness.tree.remove());

const workflowId = 'create_ddr';
const reason = 'Nobody uses it.';
const disabled = sampleWorkflow({ Status: 'disabled' });
const start = (options: AuthoringHarnessOptions = {}) =>
  (harness = createAuthoringHarness({ bundled: [disabled], ...options }));
const user = contextOf('user');
const ids = () => {
  const found = harness.store.published();
  return found.ok ? found.value.rows.map(({ definition }) => definition.WorkflowId) : [];
};

describe('removing a workflow [T6-8-9-removal]', () => {
  it('removes a disabled one from the registry, and its history keeps the reason', async () => {
    start();
    expect(await harness.authoring.remove({ workflowId, reason }, user)).toMatchObject({ ok: true });
    expect(ids()).toEqual([]);
    expect(harness.store.history(workflowId)).toMatchObject({
      value: [
        { what: 'bundled', definition: disabled, decision: { by: 'Patina' } },
        { what: 'removed', definition: disabled, decision: { by: 'Ada Lovelace', reason, ddr: 'WFL-001' } },
      ],
    });
  });

  it('is reported to whoever still names it: the reason, and that there are others', async () => {
    start();
    const registry = createWorkflowRegistry({
      store: harness.store,
      ddr: (id) => harness.ddrs.get(id) ?? null,
      onDdrChange: () => () => undefined,
    });
    const pin = registry.lockVersions();
    await harness.authoring.remove({ workflowId, reason }, user);
    for (const view of [registry.view(null), registry.view(pin)]) {
      expect(view.manifest(workflowId, () => true)).toMatchObject({
        ok: false,
        error: {
          message: `Unknown workflow ‘${workflowId}’.`,
          hint: expect.stringMatching(/^It was removed: Nobody uses it\. Call /) as string,
        },
      });
      expect(view.match(`use workflow: ${workflowId}`, () => true)).toEqual([]);
    }
    registry.close();
  });

  it.each([
    ['one that is not disabled', { bundled: [sampleWorkflow()] }, { workflowId, reason }, 'Status'],
    ['one without a reason', {}, { workflowId, reason: '  ' }, 'reason'],
    ['one there is not', {}, { workflowId: 'no_such_one', reason }, 'workflowId'],
    [
      'one whose record is not approved',
      { bundled: [sampleWorkflow({ Status: 'disabled', Ddr: 'WFL-002' })] },
      { workflowId, reason },
      'Ddr',
    ],
  ])('refuses %s', async (_what, options: AuthoringHarnessOptions, removal, field) => {
    start(options);
    const before = ids();
    expect(await harness.authoring.remove(removal, user)).toMatchObject({ ok: false, errors: [{ field }] });
    expect(ids()).toEqual(before);
  });

  it.each([
    [
      [sampleWorkflow({ Status: 'deprecated' })],
      { workflowId, reason },
      '‘create_ddr’ is deprecated. Publish a version whose Status is disabled first, then remove it.',
    ],
    [[disabled], { workflowId, reason: ' ' }, 'reason is missing: the history records it.'],
    [[disabled], { workflowId: 'no_such_one', reason }, 'Unknown workflow ‘no_such_one’.'],
    [
      [disabled],
      { workflowId: 'X', reason },
      'workflowId must be 3 to 64 lowercase letters, digits and underscores, like create_ddr.',
    ],
  ])('says why it refuses: %#', async (bundled, removal, message) => {
    start({ bundled });
    const answer = await harness.authoring.remove(removal, user);
    expect(answer.ok ? [] : answer.errors.map((one) => one.message)).toEqual([message]);
  });

  it('asks for the user’s yes where a model’s call would remove it, and reports a full disk', async () => {
    let yes = false;
    start({ answer: () => yes });
    const remove = () => harness.authoring.remove({ workflowId, reason: ` ${reason} ` }, contextOf('model'));
    expect(await remove()).toMatchObject({ ok: false, errors: [{ field: '' }] });
    expect(harness.asked).toEqual([
      { text: 'Remove ‘create_ddr’ 1.0.0? Its history is kept.', detail: reason },
    ]);
    expect(ids()).toEqual([workflowId]);
    yes = true;
    const error = appError('HOST', 'STORAGE', 'The disk is full.');
    harness.store.remove = () => Promise.resolve({ ok: false, error });
    expect(await remove()).toMatchObject({ ok: false, error });
  });

  it('[T6-8-9-not-lost] is not an operation of the tool: a model cannot delete a workflow', async () => {
    start({ answer: () => true });
    expect(authoringOperations.filter((name) => /remove|delete/.test(name))).toEqual([]);
    expect(await harness.model('remove_workflow', { workflowId, reason })).toMatchObject({ ok: false });
    expect(ids()).toEqual([workflowId]);
  });
});
