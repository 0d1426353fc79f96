import { FolderOpen, FolderPlus } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/text-field';
import type { Workspace } from './use-workspace';

/** What to do with the chosen folder: use it as it is, or fill it first. */
export type BindWay = 'bind' | 'create';

const words = {
  create: {
    title: 'Create a workspace',
    hint: 'A working example is written into the empty folder you choose, and synced under this name. Nothing is ever written over.',
    choose: 'Choose an empty folder…',
  },
  bind: {
    title: 'Bind a folder',
    hint: 'The folder you choose may then be synced under this name.',
    choose: 'Choose the folder…',
  },
} as const satisfies Record<BindWay, object>;

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
        <FolderPlus aria-hidden size={14} /> {words.create.title}
      </Button>
      <Button className="px-2" tone="quiet" aria-expanded={way === 'bind'} onClick={toggle('bind')}>
        <FolderOpen aria-hidden size={14} /> {words.bind.title}
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
  const good = /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name);
  const { title, hint, choose } = words[way];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!good) return;
    void workspace.bind(name, way).then((bound) => {
      if (bound) onDone();
    });
  };
  return (
    <form
      aria-label={title}
      onSubmit={submit}
      className="flex flex-col gap-2 rounded-lg border border-line p-3"
    >
      <TextField
        label="Name"
        value={name}
        autoFocus
        maxLength={64}
        hint={`${hint} Lower case letters, digits, dots and dashes.`}
        onChange={(event) => setName(event.target.value)}
      />
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" disabled={!good || workspace.busy !== null}>
          {choose}
        </Button>
      </div>
    </form>
  );
}
