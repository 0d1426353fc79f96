import { X } from 'lucide-react';
import { turnAt } from '#shared/session-state';
import type { FormEvent } from 'react';
import { useApp, useCurrentSession } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { TextField } from '../../ui/text-field';
import { FindingLine } from './finding-line';
import { RecipeParams } from './recipe-params';
import { RecipePreview } from './recipe-preview';
import { useRecipeDraft, type RecipeDraftInUse } from './use-recipe-draft';

function Names({ draft }: { readonly draft: RecipeDraftInUse }) {
  const { filled, request, change, found } = draft;
  return (
    <div className="space-y-3">
      <div>
        <TextField
          label="Title"
          data-autofocus
          maxLength={200}
          aria-invalid={found('title') !== undefined || undefined}
          value={filled.title}
          onChange={(event) => change({ title: event.currentTarget.value })}
        />
        <FindingLine finding={found('title')} />
      </div>
      <div>
        <TextField
          label="Id"
          hint="What commands call it. It stays as it is."
          maxLength={100}
          aria-invalid={found('id') !== undefined || undefined}
          value={request.id}
          onChange={(event) => change({ id: event.currentTarget.value })}
        />
        <FindingLine finding={found('id')} />
      </div>
      <TextField
        label="Description (optional)"
        maxLength={2_000}
        value={filled.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
    </div>
  );
}

function Body({ draft }: { readonly draft: RecipeDraftInUse }) {
  const unfit = draft.found('run');
  if (unfit)
    return (
      <div role="alert" className="p-5 text-sm">
        <p>{unfit.message}</p>
        <p className="mt-1 text-muted">{unfit.hint}</p>
      </div>
    );
  return (
    <div className="min-h-0 grow space-y-5 overflow-y-auto p-5">
      <Names draft={draft} />
      <RecipeParams draft={draft} />
      <RecipePreview draft={draft} />
    </div>
  );
}

function Foot({ draft, onClose }: { readonly draft: RecipeDraftInUse; readonly onClose: () => void }) {
  const open = draft.draft?.findings.filter(({ level }) => level === 'error').length ?? 0;
  const said =
    draft.problem ??
    (open > 0 ? `${open === 1 ? 'One thing stands' : `${open} things stand`} in the way.` : '');
  return (
    <div className="flex items-center gap-2 border-t border-line px-5 py-3">
      <p role="status" className="min-w-0 grow text-sm text-danger-text wrap-anywhere">
        {said}
      </p>
      <Button tone="quiet" onClick={onClose}>
        Cancel
      </Button>
      <Button tone="primary" type="submit" disabled={draft.saving || !draft.draft?.recipe}>
        Save
      </Button>
    </div>
  );
}

function Form({ turn, goal }: { readonly turn: number; readonly goal: string }) {
  const { view } = useApp();
  const draft = useRecipeDraft(turn, goal);
  const close = () => view.set({ dialog: null });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!draft.saving && draft.draft?.recipe) void draft.save();
  };
  return (
    <Modal
      label="Save as recipe"
      onClose={close}
      className="mt-[8vh] flex max-h-[84vh] w-[40rem] max-w-[calc(100vw-2rem)] flex-col"
    >
      <form onSubmit={submit} className="flex min-h-0 grow flex-col">
        <header className="flex items-start gap-3 border-b border-line py-3 ps-5 pe-3">
          <div className="min-w-0 grow">
            <h2 className="text-lg font-semibold">Save as recipe</h2>
            <p className="mt-0.5 text-sm text-muted">A recipe runs this plan again, with no model.</p>
          </div>
          <IconButton icon={X} label="Close" onClick={close} />
        </header>
        <Body draft={draft} />
        <Foot draft={draft} onClose={close} />
      </form>
    </Modal>
  );
}

/** Saves the run of a turn as a recipe: its title, its parameters and a preview. */
export function RecipeDialog({ turn }: { readonly turn: number }) {
  const goal = useCurrentSession((session) => session && turnAt(session, turn)?.run?.goal);
  return goal === undefined ? null : <Form turn={turn} goal={goal} />;
}
