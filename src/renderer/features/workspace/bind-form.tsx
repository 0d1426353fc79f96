import { FolderOpen, FolderPlus } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/text-field';
import type { Workspace } from './use-workspace';

/** What to do with the chosen folder: use it as it is, or fill it first. */
export type BindWay = 'bind' | 'create';

/** The two ways to get a workspace. */
export function BindButtons({
  way,
  onWay,
}: {
  readonly way: BindWay | null;
  readonly onWay: (way: BindWay | null) => void;
}) {
  const toggle = (wanted: BindWay) => () => onWay(way === wanted ? null : wanted);
  return (
    <>
      <Button className="px-2" tone="quiet" aria-expanded={way === 'create'} onClick={toggle('create')}>
        <FolderPlus aria-hidden size={14} /> {text('workspace.bind.create.title')}
      </Button>
      <Button className="px-2" tone="quiet" aria-expanded={way === 'bind'} onClick={toggle('bind')}>
        <FolderOpen aria-hidden size={14} /> {text('workspace.bind.bind.title')}
      </Button>
    </>
  );
}

/** Names a folder to bind, and asks for the folder. */
export function BindForm({
  way,
  workspace,
  onDone,
}: {
  readonly way: BindWay;
  readonly workspace: Workspace;
  readonly onDone: () => void;
}) {
  const [name, setName] = useState('');
  const valid = /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!valid) return;
    void workspace.bind(name, way).then((bound) => {
      if (bound) onDone();
    });
  };
  return (
    <form
      aria-label={text(`workspace.bind.${way}.title`)}
      aria-busy={workspace.busy !== null}
      onSubmit={submit}
      className="flex flex-col gap-2 rounded-lg border border-line p-3"
    >
      <TextField
        label={text('workspace.bind.name')}
        value={name}
        autoFocus
        maxLength={64}
        hint={text('workspace.bind.nameHint', { hint: text(`workspace.bind.${way}.hint`) })}
        onChange={(event) => setName(event.target.value)}
      />
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onDone}>
          {text('shared.cancel')}
        </Button>
        <Button type="submit" disabled={!valid || workspace.busy !== null}>
          {text(`workspace.bind.${way}.choose`)}
        </Button>
      </div>
    </form>
  );
}
