import { X } from 'lucide-react';
import { turnAt } from '#shared/session-state';
import type { FormEvent } from 'react';
import { text } from '../../locales/text';
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
          label={text('run.recipe.title')}
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
          label={text('run.recipe.id')}
          hint={text('run.recipe.idHint')}
          maxLength={100}
          aria-invalid={found('id') !== undefined || undefined}
          value={request.id}
          onChange={(event) => change({ id: event.currentTarget.value })}
        />
        <FindingLine finding={found('id')} />
      </div>
      <TextField
        label={text('run.recipe.description')}
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

function Foot({ draft, onCancel }: { readonly draft: RecipeDraftInUse; readonly onCancel: () => void }) {
  const open = draft.draft?.findings.filter(({ level }) => level === 'error').length ?? 0;
  const status = draft.problem ?? (open > 0 ? text('run.recipe.problems', { count: open }) : '');
  return (
    <div className="flex items-center gap-2 border-t border-line px-5 py-3">
      <p role="status" className="min-w-0 grow text-sm text-danger-text wrap-anywhere">
        {status}
      </p>
      <Button tone="quiet" onClick={onCancel}>
        {text('run.recipe.cancel')}
      </Button>
      <Button tone="primary" type="submit" disabled={draft.saving || !draft.draft?.recipe}>
        {text('run.recipe.save')}
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
      label={text('run.recipe.name')}
      onClose={close}
      className="mt-[8vh] flex max-h-[84vh] w-[40rem] max-w-[calc(100vw-2rem)] flex-col"
    >
      <form onSubmit={submit} className="flex min-h-0 grow flex-col">
        <header className="flex items-start gap-3 border-b border-line py-3 ps-5 pe-3">
          <div className="min-w-0 grow">
            <h2 className="text-lg font-semibold">{text('run.recipe.name')}</h2>
            <p className="mt-0.5 text-sm text-muted">{text('run.recipe.about')}</p>
          </div>
          <IconButton icon={X} label={text('run.recipe.close')} onClick={close} />
        </header>
        <Body draft={draft} />
        <Foot draft={draft} onCancel={() => view.finishDialog()} />
      </form>
    </Modal>
  );
}

/** Saves the run of a turn as a recipe: its title, its parameters and a preview. */
export function RecipeDialog({ turn }: { readonly turn: number }) {
  const goal = useCurrentSession((session) => session && turnAt(session, turn)?.run?.goal);
  return goal === undefined ? null : <Form turn={turn} goal={goal} />;
}
