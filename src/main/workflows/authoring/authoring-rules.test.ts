import { afterEach, describe, expect, it } from 'vitest';
import { completeFields, createAuthoringDesk } from '../../../testing/authoring-desk';
import { sampleWorkflow } from '../../../testing/sample-workflows';

let desk: ReturnType<typeof createAuthoringDesk>;
afterEach(() => desk.tree.remove());

const workflowId = 'review_pr';
const words = { workflowId, title: 'Review a pull request', description: 'Reads it and reports.' };

describe('what a model must not do with authoring', () => {
  it('[T6-10-4-ids] an update, a publication or a look at a workflow there is not is refused', async () => {
    desk = createAuthoringDesk({ answer: () => true });
    for (const operation of ['get_workflow', 'update_workflow', 'validate_workflow', 'publish_workflow']) {
      const answer = await desk.model(operation, { workflowId: 'made_up', fields: { Title: 'X' } });
      expect(answer).toMatchObject({ ok: false, errors: [{ field: 'workflowId' }] });
    }
    expect(desk.store.drafts()).toMatchObject({ value: [] });
  });

  it('[T6-10-3-authoritative] [T6-10-4-structured] what is refused has changed nothing, field by field', async () => {
    desk = createAuthoringDesk({ answer: () => true });
    await desk.model('draft_workflow', words);
    const before = desk.store.drafts();
    for (const fields of [
      { Title: 'Fine', PermittedTools: 'everything' },
      { Title: 'Fine', WorkflowId: 'another_id' },
      { Title: 'Fine', Nonsense: 1 },
      { Title: null },
    ]) {
      expect(await desk.model('update_workflow', { workflowId, fields })).toMatchObject({ ok: false });
      expect(desk.store.drafts()).toEqual(before);
    }
    expect(await desk.model('update_workflow', { workflowId, fields: '{"Title":"X"}' })).toMatchObject({
      errors: [{ field: 'fields' }],
    });
  });

  it('[T6-10-4-incomplete] an incomplete draft is not published, although the user would say yes', async () => {
    desk = createAuthoringDesk({ bundled: [sampleWorkflow()], answer: () => true });
    await desk.model('draft_workflow', words);
    const asked = desk.asked.length;
    expect(await desk.model('publish_workflow', { workflowId })).toMatchObject({ ok: false });
    // Nobody was even asked.
    expect(desk.asked).toHaveLength(asked);
    await desk.model('update_workflow', { workflowId, fields: completeFields });
    expect(await desk.model('publish_workflow', { workflowId })).toMatchObject({ ok: true });
  });
});
