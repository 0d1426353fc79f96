import { afterEach, describe, expect, it } from 'vitest';
import {
  CompletionCheck,
  CompletionCriterion,
  FollowUpOption,
  InputType,
  InputValidation,
  RequiredApproval,
  WorkflowDefinition,
  WorkflowInput,
  WorkflowPrecondition,
} from '#shared/workflow';
import { authoringOperations } from '#shared/workflow-authoring';
import { completeFields, createAuthoringHarness } from '../../../testing/authoring-harness';
import { sampleWorkflow } from '../../../testing/sample-workflows';

let harness: ReturnType<typeof createAuthoringHarness>;
afterEach(() => harness.tree.remove());

const workflowId = 'review_pr';
const words = { workflowId, title: 'Review a pull request', description: 'Reads it and reports.' };

describe('calls of a model that authoring refuses', () => {
  it('[T6-10-4-ids] an update, a publication or a preview of a missing workflow is refused', async () => {
    harness = createAuthoringHarness({ answer: () => true });
    for (const operation of ['get_workflow', 'update_workflow', 'validate_workflow', 'publish_workflow']) {
      const answer = await harness.model(operation, { workflowId: 'made_up', fields: { Title: 'X' } });
      expect(answer).toMatchObject({ ok: false, errors: [{ field: 'workflowId' }] });
    }
    expect(harness.store.drafts()).toMatchObject({ value: [] });
  });

  it('[T6-10-3-authoritative] [T6-10-4-structured] a refused call has changed nothing, field by field', async () => {
    harness = createAuthoringHarness({ answer: () => true });
    await harness.model('draft_workflow', words);
    const before = harness.store.drafts();
    for (const fields of [
      { Title: 'Fine', PermittedTools: 'everything' },
      { Title: 'Fine', WorkflowId: 'another_id' },
      { Title: 'Fine', Nonsense: 1 },
      { Title: null },
    ]) {
      expect(await harness.model('update_workflow', { workflowId, fields })).toMatchObject({ ok: false });
      expect(harness.store.drafts()).toEqual(before);
    }
    expect(await harness.model('update_workflow', { workflowId, fields: '{"Title":"X"}' })).toMatchObject({
      errors: [{ field: 'fields' }],
    });
  });

  it('[T6-10-4-incomplete] an incomplete draft is not published, even if the user would agree', async () => {
    harness = createAuthoringHarness({ bundled: [sampleWorkflow()], answer: () => true });
    await harness.model('draft_workflow', words);
    const asked = harness.asked.length;
    expect(await harness.model('publish_workflow', { workflowId })).toMatchObject({ ok: false });
    // The user was not asked.
    expect(harness.asked).toHaveLength(asked);
    await harness.model('update_workflow', { workflowId, fields: completeFields });
    expect(await harness.model('publish_workflow', { workflowId })).toMatchObject({ ok: true });
  });
});

describe('the arguments of the authoring tool', () => {
  /** The names of an object's fields, and the values of its `kind` where it has several forms. */
  const wordsOf: Readonly<Record<string, readonly string[]>> = {
    RequiredInputs: [
      ...Object.keys(WorkflowInput.shape),
      ...Object.keys(InputValidation.shape),
      ...InputType.options,
    ],
    CompletionCriteria: [
      ...Object.keys(CompletionCriterion.shape),
      ...CompletionCheck.options.flatMap(({ shape }) => [shape.kind.value, ...Object.keys(shape)]),
    ],
    FollowUpOptions: Object.keys(FollowUpOption.shape),
    Preconditions: WorkflowPrecondition.options.flatMap(({ shape }) => [
      shape.kind.value,
      ...Object.keys(shape),
    ]),
    RequiredApprovals: Object.keys(RequiredApproval.shape),
    AllowedTransitions: ['workflows', 'modes'],
  };

  it('[T6-10-2-schema] have a schema that names every operation, requires one, and gives the shape of each field', () => {
    harness = createAuthoringHarness({ answer: () => true });
    const schema = harness.authoring.tool.schema as unknown as {
      readonly required: readonly string[];
      readonly properties: {
        readonly operation: { readonly enum: readonly string[] };
        readonly fields: { readonly properties: Readonly<Record<string, { readonly description?: string }>> };
      };
    };
    expect(schema.required).toEqual(['operation']);
    expect(schema.properties.operation.enum).toEqual(authoringOperations);
    const { properties } = schema.properties.fields;
    // The host sets the id; `Extensions` belong to packs.
    const written = Object.keys(WorkflowDefinition.shape).filter(
      (field) => field !== 'WorkflowId' && field !== 'Extensions',
    );
    expect(Object.keys(properties).sort()).toEqual(written.sort());
    for (const [field, words] of Object.entries(wordsOf)) {
      const said = properties[field]?.description ?? '';
      const missing = words.filter((word) => !new RegExp(`(?<![a-z])${word}(?![a-z])`, 'i').test(said));
      expect({ field, missing }).toEqual({ field, missing: [] });
    }
  });
});
