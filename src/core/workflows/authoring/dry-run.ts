import type { JsonObject } from '#shared/json';
import { ok, type Result } from '#shared/result';
import { WorkflowDefinition, type WorkflowRow } from '#shared/workflow';
import type { DryRun } from '#shared/workflow-panel';
import { approvalStatusOf } from '../governance';
import { createRegistryView, type GovernedWorkflow } from '../registry-view';
import { mentionsId } from '../named-by-user';
import type { AuthoringDeps } from './authoring-context';

const blank: WorkflowDefinition = {
  WorkflowId: '',
  Title: '',
  Description: '',
  UserIntentPatterns: [],
  RequiredInputs: [],
  InstructionText: '',
  PermittedTools: [],
  CompletionCriteria: [],
  RequiredApprovals: [],
  Version: '1.0.0',
  Status: 'active',
  Visibility: 'public',
  AutoStart: false,
  Ddr: '',
  AllowedTransitions: { workflows: [], modes: [] },
};

/** The valid parts of a draft, because authors try sentences before a definition is complete. */
function readable(workflowId: string, fields: JsonObject): WorkflowDefinition {
  const { Title, UserIntentPatterns: patterns, Visibility, Status } = WorkflowDefinition.shape;
  const title = Title.safeParse(fields['Title']);
  const visibility = Visibility.safeParse(fields['Visibility']);
  const status = Status.safeParse(fields['Status']);
  const intentPatterns = fields['UserIntentPatterns'];
  const each = (Array.isArray(intentPatterns) ? intentPatterns : []).flatMap((pattern: unknown) => {
    const read = patterns.element.safeParse(pattern);
    return read.success ? [read.data] : [];
  });
  return {
    ...blank,
    WorkflowId: workflowId,
    Title: title.success ? title.data : '',
    UserIntentPatterns: each,
    Visibility: visibility.success ? visibility.data : 'public',
    Status: status.success ? status.data : 'active',
  };
}

/** The draft as if published, because publishing approves it. */
const asPublished = (workflowId: string, fields: JsonObject): GovernedWorkflow => ({
  definition: readable(workflowId, fields),
  layer: { kind: 'home' },
  hash: '',
  approval: { kind: 'approved' },
});

export interface DryRunRequest {
  readonly sentences: readonly string[];
  readonly workflowId?: string | undefined;
  /** The definition to try; without it, the stored draft of the workflow. */
  readonly fields?: JsonObject | undefined;
}

/**
 * Finds the workflows that sentences would start, with the registry's own matching (TUL-006 §3.1, §3.3). The
 * given definition or the draft replaces the published version. Starts and changes nothing.
 */
export function dryRun(
  { store, ddr }: Pick<AuthoringDeps, 'store' | 'ddr'>,
  { sentences, workflowId, fields }: DryRunRequest,
): Result<readonly DryRun[]> {
  const published = store.published();
  if (!published.ok) return published;
  const drafts = store.drafts();
  if (!drafts.ok) return drafts;
  const stored = drafts.value.find((one) => one.workflowId === workflowId);
  const draft = fields && workflowId !== undefined ? { workflowId, fields } : stored;
  const govern = (row: WorkflowRow): GovernedWorkflow => ({
    ...row,
    approval: approvalStatusOf(row, ddr(row.definition.Ddr)),
  });
  const others = published.value.rows
    .filter(({ definition }) => definition.WorkflowId !== draft?.workflowId)
    .map(govern);
  const view = createRegistryView(draft ? [...others, asPublished(draft.workflowId, draft.fields)] : others);
  const match = (sentence: string) =>
    view
      .match(sentence, (id) => mentionsId(sentence, id))
      .map((row) => ({ ...row, fromDraft: row.workflowId === draft?.workflowId }));
  return ok(sentences.map((sentence) => ({ sentence, matches: match(sentence) })));
}
