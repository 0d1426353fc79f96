import { appError } from '#shared/app-error';
import { applyWorkspaceFact } from '#shared/apply-workspace-event';
import { initialWorkspace, type ApplyWhen, type WorkspaceState } from '#shared/workspace';
import { decideWorkspace, type WorkspaceInput } from '../core/workspace/decide';

/** A snapshot hash of one repeated letter, so that tests can tell hashes apart. */
export const hash = (letter: string): string => letter.repeat(64);
export const binding = { workspace: 'default', version: 'latest' } as const;
export const bad = appError('CONFIG', 'INVALID', 'It does not hold.');

/** The state after inputs, each decided and folded; refused inputs change nothing. */
export function after(
  inputs: readonly WorkspaceInput[],
  from: WorkspaceState = initialWorkspace,
): WorkspaceState {
  return inputs.reduce((state, input) => {
    const facts = decideWorkspace(state, input);
    return facts.ok
      ? facts.value.reduce((folded, fact) => applyWorkspaceFact(folded, { ...fact, at: 0 }), state)
      : state;
  }, from);
}

/** A requested sync that found a snapshot. */
export const sync = (requestId: string, found: string): readonly WorkspaceInput[] => [
  { type: 'request-sync', requestId, workspace: 'default', version: 'latest' },
  { type: 'end-sync', requestId, end: { outcome: 'found', snapshot: { hash: hash(found), binding } } },
];
export const apply = (when: ApplyWhen, idle: boolean): WorkspaceInput => ({
  type: 'request-apply',
  when,
  idle,
});
export const reach = (boundary: 'idle' | 'run-start' | 'step'): WorkspaceInput => ({
  type: 'reach',
  boundary,
});
