import type { WorkflowDefinition } from './workflow';

/**
 * Warnings for the user about a workflow that is active or about to start (TUL-006 §7.8, §8.5): complete
 * sentences, or none.
 */
export const warningsForUser = ({
  Status,
  Visibility,
}: Pick<WorkflowDefinition, 'Status' | 'Visibility'>): readonly string[] => [
  ...(Status === 'deprecated'
    ? ['This workflow is deprecated: it still runs, but its author no longer recommends it.']
    : []),
  ...(Visibility === 'experimental'
    ? ['This workflow is experimental: check what it does more closely than usual.']
    : []),
];
