import type { Ddr } from '#shared/ddr';
import type { WorkflowRow } from '#shared/workflow';

/** The fields of a design record that govern the approval of a workflow. */
export type DdrClaim = Pick<Ddr, 'status' | 'changedSinceApproval' | 'workflows'>;

/** Whether a definition is the one that a person approved (TUL-006 §8.2, §8.8). */
export type ApprovalStatus =
  | { readonly kind: 'approved' }
  | { readonly kind: 'unapproved'; readonly reason: string }
  | { readonly kind: 'drifted'; readonly reason: string };

const unapproved = (reason: string): ApprovalStatus => ({ kind: 'unapproved', reason });

/**
 * Compares a definition with its design record. Without a record, an approval or a hash, it is not approved
 * yet. With the hash of another definition it has drifted, which halts it until a person resolves the drift.
 * Pure.
 */
export function approvalStatusOf({ definition, hash }: WorkflowRow, ddr: DdrClaim | null): ApprovalStatus {
  const { WorkflowId: id, Ddr: name } = definition;
  if (!ddr) return unapproved(`its design record ${name} does not exist`);
  const approved = ddr.workflows[id];
  if (approved !== undefined && approved !== hash) {
    return {
      kind: 'drifted',
      reason: `the definition in use is not the one approved in ${name}`,
    };
  }
  if (ddr.status !== 'approved') return unapproved(`its design record ${name} is not approved`);
  if (ddr.changedSinceApproval) return unapproved(`its design record ${name} was changed after its approval`);
  return approved === undefined ? unapproved(`${name} does not contain its hash`) : { kind: 'approved' };
}

/** How to resolve drift, for the person who decides. */
export const driftAdvice = (ddr: string): string =>
  `Read the definition and ${ddr}, then publish the definition again with your approval, or restore the one that was approved.`;
