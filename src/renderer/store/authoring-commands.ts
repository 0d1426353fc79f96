import type { IpcInput, IpcOutput } from '#shared/ipc';
import type { workflowCalls } from '#shared/ipc-workflows';
import type { Result } from '#shared/result';
import type { CommandDeps } from './command-deps';

type Answer<N extends keyof typeof workflowCalls> = Promise<Result<IpcOutput<N>>>;

/** Commands for workflow authoring; each returns its outcome to the panel that called it. */
export interface AuthoringCommands {
  readonly listAuthored: () => Answer<'authoring-list'>;
  readonly viewAuthored: (workflowId: string) => Answer<'authoring-view'>;
  readonly nameAuthored: () => Answer<'authoring-names'>;
  readonly callAuthoring: (call: IpcInput<'authoring-call'>) => Answer<'authoring-call'>;
  readonly saveDraft: (edit: IpcInput<'authoring-save'>) => Answer<'authoring-save'>;
  readonly publishWorkflow: (input: IpcInput<'authoring-publish'>) => Answer<'authoring-call'>;
  readonly discardDraft: (input: IpcInput<'authoring-discard'>) => Answer<'authoring-call'>;
  readonly removeWorkflow: (input: IpcInput<'authoring-remove'>) => Answer<'authoring-call'>;
  readonly trySentences: (input: IpcInput<'authoring-dry-run'>) => Answer<'authoring-dry-run'>;
  /** The unsaved edits of a draft; they survive closing the panel and the window. */
  readonly unsavedEdits: (workflowId: string) => string;
  readonly saveEdits: (workflowId: string, edits: string) => void;
}

const editsOf = (workflowId: string): string => `workflow.${workflowId}`;

export function createAuthoringCommands({ bridge, drafts }: CommandDeps): AuthoringCommands {
  return {
    listAuthored: () => bridge.invoke('authoring-list', undefined),
    viewAuthored: (workflowId) => bridge.invoke('authoring-view', { workflowId }),
    nameAuthored: () => bridge.invoke('authoring-names', undefined),
    callAuthoring: (call) => bridge.invoke('authoring-call', call),
    saveDraft: (edit) => bridge.invoke('authoring-save', edit),
    publishWorkflow: (input) => bridge.invoke('authoring-publish', input),
    discardDraft: (input) => bridge.invoke('authoring-discard', input),
    removeWorkflow: (input) => bridge.invoke('authoring-remove', input),
    trySentences: (input) => bridge.invoke('authoring-dry-run', input),
    unsavedEdits: (workflowId) => drafts.read(editsOf(workflowId)),
    saveEdits: (workflowId, edits) => drafts.write(editsOf(workflowId), edits),
  };
}
