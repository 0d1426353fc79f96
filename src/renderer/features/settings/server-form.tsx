import type { IpcInput } from '#shared/ipc';
import { ServerDraft } from '#shared/servers';
import { useState, type FormEvent } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/text-field';
import { OutcomeLine, type Outcome } from './outcome-line';
import { ServerCommand } from './server-command';
import { useFieldProblem, type FieldProblem, type ProblemsOf } from './use-field-problem';

const empty = { name: '', what: '', args: '', secretName: '', secret: '' };
type Fields = typeof empty;

const isAddress = (what: string): boolean => /^https?:/i.test(what.trim());
const argsOf = (args: string): string[] => args.split('\n').filter((line) => line !== '');

/**
 * Builds a draft from the fields: a web address becomes an HTTP server, anything else a command. The secret
 * is sent as a reference.
 */
function draftOf({ name, what, args, secretName, secret }: Fields): IpcInput<'server-save'> {
  const ref = `mcp-${name.trim()}`;
  const hasSecret = secretName.trim() !== '' && secret !== '';
  const secrets = hasSecret ? { [secretName.trim()]: { secrets_ref: ref } } : undefined;
  const server = isAddress(what)
    ? { url: what.trim(), ...(secrets && { headers: secrets }) }
    : { command: what.trim(), args: argsOf(args), ...(secrets && { env: secrets }) };
  return { name: name.trim(), server, ...(hasSecret && { secret: { ref, value: secret } }) };
}

type Problem = FieldProblem<keyof Fields>;

/** What is wrong with the command or address, or with the name of the variable or header. */
function serverProblem({ server }: IpcInput<'server-save'>): Problem {
  const bare = 'url' in server ? { url: server.url } : { command: server.command, args: server.args };
  if (ServerDraft.shape.server.safeParse(bare).success)
    return { field: 'secretName', problem: text('settings.serverForm.badSecretName') };
  const hasCredentials = 'url' in server && /^https?:\/\/[^/?#]*@/i.test(server.url);
  return {
    field: 'what',
    problem: text(hasCredentials ? 'settings.serverForm.credentials' : 'settings.serverForm.badServer'),
  };
}

/** What is wrong with a draft, in one sentence; null when main takes it. `names` are of the existing servers. */
function problemOf(draft: IpcInput<'server-save'>, names: readonly string[]): Problem | null {
  const checked = ServerDraft.safeParse(draft);
  if (!checked.success) {
    const wrong = new Set(checked.error.issues.map(({ path }) => path[0]));
    if (wrong.has('name')) return { field: 'name', problem: text('settings.serverForm.badName') };
    if (wrong.has('server')) return serverProblem(draft);
    return { field: 'secret', problem: text('settings.serverForm.badSecret') };
  }
  const taken = names.includes(draft.name);
  return taken ? { field: 'name', problem: text('settings.serverForm.taken', { name: draft.name }) } : null;
}

interface SecretFieldsProps {
  readonly fields: Fields;
  readonly change: (patch: Partial<Fields>) => void;
  readonly problemsOf: ProblemsOf<keyof Fields>;
}

function SecretFields({ fields, change, problemsOf }: SecretFieldsProps) {
  const address = isAddress(fields.what);
  return (
    <div className="grid gap-3 narrow:grid-cols-2">
      <TextField
        label={text(address ? 'settings.serverForm.secretHeader' : 'settings.serverForm.secretVariable')}
        placeholder={text(
          address ? 'settings.serverForm.headerExample' : 'settings.serverForm.variableExample',
        )}
        value={fields.secretName}
        problems={problemsOf('secretName')}
        onChange={(event) => change({ secretName: event.currentTarget.value })}
      />
      <TextField
        label={text('settings.serverForm.secretValue')}
        type="password"
        hint={text('settings.serverForm.secretHint')}
        value={fields.secret}
        problems={problemsOf('secret')}
        onChange={(event) => change({ secret: event.currentTarget.value })}
      />
    </div>
  );
}

function ArgumentsField(props: { readonly args: string; readonly onChange: (args: string) => void }) {
  const { args, onChange } = props;
  return (
    <label className="text-sm font-medium">
      {text('settings.serverForm.arguments')}
      <textarea
        rows={3}
        spellCheck={false}
        value={args}
        onChange={(event) => onChange(event.currentTarget.value)}
        className="readable mt-1 block w-full rounded-md border border-line-strong bg-canvas px-2.5 py-1.5 font-mono text-sm outline-none focus:border-accent"
      />
    </label>
  );
}

export interface ServerFormProps {
  /** The names of the existing servers. */
  readonly names: readonly string[];
  readonly outcome: Outcome | null;
  readonly busy: boolean;
  readonly onSave: (draft: IpcInput<'server-save'>) => void;
  readonly onCancel: () => void;
}

/** Adds a server. Shows the exact command, word by word, before the one button that confirms it. */
export function ServerForm({ names, outcome, busy, onSave, onCancel }: ServerFormProps) {
  const [fields, setFields] = useState(empty);
  const { form, problemsOf, setProblem } = useFieldProblem<keyof Fields>();
  const change = (patch: Partial<Fields>) => {
    setFields((before) => ({ ...before, ...patch }));
    setProblem(null);
  };
  const { what, args } = fields;
  const words = isAddress(what) ? [what.trim()] : [what.trim(), ...argsOf(args)];
  const save = (event: FormEvent) => {
    event.preventDefault();
    const draft = draftOf(fields);
    const found = problemOf(draft, names);
    setProblem(found);
    if (found === null) onSave(draft);
  };
  return (
    <form
      ref={form}
      aria-label={text('settings.servers.add')}
      aria-busy={busy}
      onSubmit={save}
      className="flex flex-col gap-3 rounded-lg border border-line p-4"
    >
      <TextField
        label={text('settings.serverForm.name')}
        autoFocus
        required
        hint={text('settings.serverForm.nameHint')}
        value={fields.name}
        problems={problemsOf('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TextField
        label={text('settings.serverForm.command')}
        required
        placeholder={text('settings.serverForm.commandExample')}
        value={what}
        problems={problemsOf('what')}
        onChange={(event) => change({ what: event.currentTarget.value })}
      />
      {!isAddress(what) && <ArgumentsField args={args} onChange={(changed) => change({ args: changed })} />}
      <SecretFields fields={fields} change={change} problemsOf={problemsOf} />
      {what.trim() !== '' && (
        <div className="rounded-lg border border-line bg-copper-soft px-3 py-2 text-sm">
          <p className="mb-1">
            {text(isAddress(what) ? 'settings.serverForm.callsAddress' : 'settings.serverForm.runsHere')}
          </p>
          <ServerCommand words={words} />
        </div>
      )}
      <OutcomeLine outcome={outcome} />
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onCancel}>
          {text('shared.cancel')}
        </Button>
        <Button tone="primary" type="submit" disabled={busy}>
          {text('settings.serverForm.add')}
        </Button>
      </div>
    </form>
  );
}
