import { afterEach, describe, expect, it } from 'vitest';
import { createAuthoringHarness, type AuthoringHarnessOptions } from '../../../testing/authoring-harness';
import { sampleWorkflow } from '../../../testing/sample-workflows';
import { must } from '../../../testing/stored-session';

let harness: ReturnType<typeof createAuthoringHarness>;
afterEach(() => harness.tree.remove());

const create = sampleWorkflow();
const tidy = sampleWorkflow({
  WorkflowId: 'tidy_attic',
  Title: 'Tidy the attic',
  UserIntentPatterns: ['Sweep the attic floor'],
});
const start = (options: AuthoringHarnessOptions = {}) =>
  (harness = createAuthoringHarness({ bundled: [create, tidy], ...options }));
type Request = Parameters<ReturnType<typeof start>['authoring']['panel']['dryRun']>[0];
const tried = (request: Request) => must(harness.authoring.panel.dryRun(request));
const ids = (request: Request) =>
  tried(request).map(({ matches }) => matches.map(({ workflowId, fromDraft }) => [workflowId, fromDraft]));

describe('trying sentences', () => {
  it('[T6-10-panel-try] finds what each would start among the published workflows', () => {
    start();
    const sentences = ['please sweep the attic floor', 'hello', 'create a new ddr'];
    expect(tried({ sentences }).map(({ sentence }) => sentence)).toEqual(sentences);
    expect(ids({ sentences })).toEqual([[['tidy_attic', false]], [], [['create_ddr', false]]]);
    expect(tried({ sentences })[0]?.matches[0]).toMatchObject({ runnable: true });
  });

  it('[T6-10-panel-try] says that a published workflow cannot run, as a session would', () => {
    start({ bundled: [sampleWorkflow({ ...tidy, Ddr: 'WFL-002' })] });
    expect(tried({ sentences: ['sweep the attic floor'] })[0]?.matches).toMatchObject([
      { workflowId: 'tidy_attic', runnable: false, note: 'Workflow requires approval before use.' },
    ]);
  });

  it('[T6-10-panel-try] uses the stored draft instead of the published version', async () => {
    start();
    const fields = { UserIntentPatterns: ['Water the garden plants'] };
    await harness.user('update_workflow', { workflowId: 'tidy_attic', fields });
    const sentences = ['water the garden plants', 'sweep the attic floor'];
    expect(ids({ sentences, workflowId: 'tidy_attic' })).toEqual([[['tidy_attic', true]], []]);
    expect(ids({ sentences })).toEqual([[], [['tidy_attic', false]]]);
  });

  it('[T6-10-panel-try] uses the given definition instead of the draft, as far as it is complete', async () => {
    start();
    const fields = { UserIntentPatterns: ['Water the garden plants'] };
    await harness.user('update_workflow', { workflowId: 'tidy_attic', fields });
    const given = {
      Title: 7,
      UserIntentPatterns: ['Paint the kitchen walls', 7, ''],
      Status: 'gone',
      Visibility: 1,
    };
    const sentences = ['paint the kitchen walls', 'water the garden plants'];
    const request = { sentences, workflowId: 'tidy_attic', fields: given };
    expect(ids(request)).toEqual([[['tidy_attic', true]], []]);
    expect(tried(request)[0]?.matches[0]).toMatchObject({ runnable: true });
    expect(ids({ sentences, fields: given })).toEqual([[], []]);
    expect(ids({ ...request, fields: { UserIntentPatterns: 'paint the kitchen walls' } })).toEqual([[], []]);
  });

  it('[T6-10-panel-try] follows status, visibility and title of the definition that is tried', () => {
    start();
    const request = { sentences: ['paint the kitchen walls'], workflowId: 'paint_walls' };
    const fields = { UserIntentPatterns: ['Paint the kitchen walls'] };
    const matches = (more: object) => tried({ ...request, fields: { ...fields, ...more } })[0]?.matches;
    expect(matches({ Status: 'disabled' })).toMatchObject([
      { runnable: false, note: 'Workflow ‘paint_walls’ is disabled.' },
    ]);
    expect(matches({ Visibility: 'hidden' })).toEqual([]);
    const named = ['run the workflow paint it all', 'use paint_walls'];
    expect(ids({ ...request, sentences: named, fields: { ...fields, Title: 'Paint it all' } })).toEqual([
      [['paint_walls', true]],
      [['paint_walls', true]],
    ]);
    expect(ids({ ...request, sentences: named, fields: { ...fields, Visibility: 'hidden' } })).toEqual([
      [],
      [['paint_walls', true]],
    ]);
  });

  it('reports a store that cannot be read', () => {
    start();
    const error = {
      ok: false,
      error: { kind: 'HOST', code: 'STORAGE', message: 'x', retryable: false },
    } as const;
    const { panel } = harness.authoring;
    harness.store.drafts = () => error;
    expect(panel.dryRun({ sentences: [] })).toEqual(error);
    harness.store.published = () => error;
    expect(panel.dryRun({ sentences: [] })).toEqual(error);
  });
});
