import type { AuthoredWorkflow } from '#shared/workflow-panel';
import { PencilLine, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { draftVersion } from './draft-copy';
import { refusalOf } from './refusal';
import type { Reload } from './use-draft';

export interface DraftActionsProps {
  readonly workflow: AuthoredWorkflow;
  readonly reload: Reload;
  /** Drops the unsaved edits of a discarded draft. */
  readonly forget: () => void;
}

/** Starts the next version of a published workflow, or discards the draft after a second click. */
export function DraftActions({ workflow, reload, forget }: DraftActionsProps) {
  const { commands, view } = useApp();
  const [sure, setSure] = useState(false);
  const { workflowId, draft, published } = workflow;
  const done = async (message: string, refused: string | null) => {
    view.toast(refused ?? message);
    await reload();
  };
  const begin = async () =>
    done(text('workflowAuthoring.actions.created'), await draftVersion(commands, workflow));
  const discard = async () => {
    const shown = { draft: draft?.hash ?? null, published: published?.hash ?? null };
    const refused = refusalOf(await commands.discardDraft({ workflowId, shown }));
    if (refused === null) forget();
    setSure(false);
    await done(text('workflowAuthoring.actions.discarded'), refused);
  };
  if (!draft) {
    return (
      published && (
        <Button onClick={() => void begin()}>
          <PencilLine aria-hidden size={14} /> {text('workflowAuthoring.actions.edit')}
        </Button>
      )
    );
  }
  return sure ? (
    <span className="flex flex-wrap justify-end gap-2">
      {/* The safe answer has the focus, so that holding or repeating Enter discards nothing. */}
      <Button tone="quiet" autoFocus onClick={() => setSure(false)}>
        {text('workflowAuthoring.actions.keep')}
      </Button>
      <Button tone="danger" onClick={() => void discard()}>
        {text('workflowAuthoring.actions.confirm')}
      </Button>
    </span>
  ) : (
    <Button tone="quiet" onClick={() => setSure(true)}>
      <Trash2 aria-hidden size={14} /> {text('workflowAuthoring.actions.discard')}
    </Button>
  );
}
