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

/** Calls about workflow authoring; each change is the user's approval of exactly what was shown. */
export const workflowCalls = {
  'authoring-list': call<AuthoringList>()(z.undefined()),
  /** One workflow with its draft, its diff and its history. */
  'authoring-view': call<AuthoredWorkflow>()(z.object({ workflowId })),
  /** Tools, workflows and modes that a definition can name. */
  'authoring-names': call<AuthoringNames>()(z.undefined()),
  /**
   * A direct call of the authoring tool by the user; changing or ending a draft has separate calls
   * that state what was shown.
   */
  'authoring-call': call<AuthoringAnswer>()(
    z.object({
      operation: z.enum(['draft_workflow', 'validate_workflow']),
      workflowId,
      title: z.string().max(400).optional(),
      description: z.string().max(400).optional(),
    }),
  ),
  /**
   * Sets fields of the draft (null removes one) if its hash is still `revision`, the
   * version they were edited in.
   */
  'authoring-save': call<DraftSave>()(
    z.object({ workflowId, revision: z.string().max(128), fields: JsonObject }),
  ),
  /** Publishes the diff that was shown; fails when the diff has changed since. */
  'authoring-publish': call<AuthoringAnswer>()(
    z.object({ workflowId, shown: ReviewedHashes, reason: z.string().max(1_000).optional() }),
  ),
  'authoring-discard': call<AuthoringAnswer>()(z.object({ workflowId, shown: ReviewedHashes })),
  /** Removes a disabled workflow from the registry; keeps its history. */
  'authoring-remove': call<AuthoringAnswer>()(
    z.object({ workflowId, shown: ReviewedHashes, reason: z.string().max(1_000) }),
  ),
  /** The workflows that these sentences would start; with `workflowId`, its draft counts as published. */
  'authoring-dry-run': call<readonly DryRun[]>()(
    z.object({ sentences: z.array(z.string().max(2_000)).max(50), workflowId: workflowId.optional() }),
  ),
} as const;
