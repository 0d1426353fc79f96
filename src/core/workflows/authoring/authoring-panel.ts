import type { JsonObject } from '#shared/json';
import { ok, type Result } from '#shared/result';
import type { AuthoringAnswer } from '#shared/workflow-authoring';
import type {
  AuthoredWorkflow,
  AuthoringNames,
  AuthoringShelf,
  DraftSave,
  DryRun,
  ShownWorkflow,
} from '#shared/workflow-panel';
import { authoringShelf, describeWorkflow } from './authored-view';
import type { AuthoringDeps, Desk } from './desk';
import { dryRun } from './dry-run';
import { discardDraft, type Discard } from './discard-draft';
import { publishWorkflow } from './publish-operations';
import { removeWorkflow, type Removal } from './remove-workflow';
import { saveDraft, type DraftEdit } from './save-draft';

/** The same operations as the tool's, as a person does them in the window: what is clicked was shown, and the click is the yes. */
export interface AuthoringPanel {
  readonly shelf: () => Result<AuthoringShelf>;
  readonly view: (workflowId: string) => Result<AuthoredWorkflow>;
  readonly names: () => Promise<Result<AuthoringNames>>;
  /** One of the tool's operations. */
  readonly call: (call: JsonObject) => Promise<AuthoringAnswer>;
  /** Changes a draft that is still as it was shown. */
  readonly save: (edit: DraftEdit) => Promise<Result<DraftSave>>;
  readonly publish: (workflowId: string, shown: ShownWorkflow) => Promise<AuthoringAnswer>;
  readonly discard: (asked: Discard) => Promise<AuthoringAnswer>;
  readonly remove: (removal: Removal) => Promise<AuthoringAnswer>;
  readonly dryRun: (asked: Parameters<typeof dryRun>[1]) => Result<readonly DryRun[]>;
}

async function namesIn({ facts, store }: AuthoringDeps): Promise<Result<AuthoringNames>> {
  const published = store.published();
  if (!published.ok) return published;
  const { tools, modes } = await facts();
  return ok({
    tools: tools.map(({ name }) => name).toSorted(),
    modes: modes.map(({ key }) => key),
    workflows: published.value.rows.map(({ definition }) => definition.WorkflowId),
  });
}

/** `desk`: a desk on which everything is the user's own wish. */
export function createAuthoringPanel(
  deps: AuthoringDeps,
  desk: Desk,
  call: AuthoringPanel['call'],
): AuthoringPanel {
  return {
    shelf: () => authoringShelf(deps),
    view: (workflowId) => describeWorkflow(deps, workflowId),
    names: () => namesIn(deps),
    call,
    save: (edit) => saveDraft(deps, edit),
    publish: (workflowId, shown) => publishWorkflow(desk, { workflowId, shown }),
    discard: (asked) => discardDraft(desk, asked),
    remove: (removal) => removeWorkflow(desk, removal),
    dryRun: (asked) => dryRun(deps, asked),
  };
}
