import { z } from 'zod';
import { call } from './ipc-call';
import { JsonObject } from './json';
import type { AuthoringAnswer } from './workflow-authoring';
import {
  ReviewedHashes,
  type AuthoredWorkflow,
  type AuthoringNames,
  type AuthoringList,
  type DraftSave,
  type DryRun,
} from './workflow-panel';

const workflowId = z.string().max(100);

/** What the window asks about writing workflows; each change is the user's yes to exactly what was shown. */
export const workflowCalls = {
  'authoring-list': call<AuthoringList>()(z.undefined()),
  /** One workflow with its draft, its difference and its history. */
  'authoring-view': call<AuthoredWorkflow>()(z.object({ workflowId })),
  /** Tools, workflows and modes that a definition can name. */
  'authoring-names': call<AuthoringNames>()(z.undefined()),
  /** The user's own call of the authoring tool; what changes or ends a draft has a call of its own, which says what was shown. */
  'authoring-call': call<AuthoringAnswer>()(
    z.object({
      operation: z.enum(['draft_workflow', 'validate_workflow']),
      workflowId,
      title: z.string().max(400).optional(),
      description: z.string().max(400).optional(),
    }),
  ),
  /** Puts fields into the draft (null takes one away), if it is still the revision they were typed into: its hash. */
  'authoring-save': call<DraftSave>()(
    z.object({ workflowId, revision: z.string().max(128), fields: JsonObject }),
  ),
  /** Publishes the difference that was shown; refused when it is another by now. */
  'authoring-publish': call<AuthoringAnswer>()(z.object({ workflowId, shown: ReviewedHashes })),
  'authoring-discard': call<AuthoringAnswer>()(z.object({ workflowId, shown: ReviewedHashes })),
  /** Takes a disabled workflow out of the registry; its history stays. */
  'authoring-remove': call<AuthoringAnswer>()(
    z.object({ workflowId, shown: ReviewedHashes, reason: z.string().max(1_000) }),
  ),
  /** Which workflows these sentences start; with a workflow, its draft counts as if it were published. */
  'authoring-dry-run': call<readonly DryRun[]>()(
    z.object({ sentences: z.array(z.string().max(2_000)).max(50), workflowId: workflowId.optional() }),
  ),
} as const;
