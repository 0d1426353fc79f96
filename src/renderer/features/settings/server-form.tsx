import type { IpcInput } from '#shared/ipc';
import { useState, type FormEvent } from 'react';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/text-field';
import { OutcomeLine } from './outcome-line';
import type { Outcome } from './outcome';
import { ServerWords } from './server-words';

const empty = { name: '', what: '', args: '', secretName: '', secret: '' };
type Fields = typeof empty;

const isAddress = (what: string): boolean => /^https?:/i.test(what.trim());
const argsOf = (args: string): string[] => args.split('\n').filter((line) => line !== '');

/**
 * Builds a draft from the fields: a web address becomes an HTTP server, anything else a command. The secret
 * is sent as a reference.
 */
function draftOf({ name, what, args, secretName, secret }: Fields): IpcInput<'server-save'> {
  const ref = `mcp-${name}`;
  const given = secretName.trim() !== '' && secret !== '';
  const held = given ? { [secretName.trim()]: { secrets_ref: ref } } : undefined;
  const server = isAddress(what)
    ? { url: what.trim(), ...(held && { headers: held }) }
    : { command: what.trim(), args: argsOf(args), ...(held && { env: held }) };
  return { name, server, ...(given && { secret: { ref, value: secret } }) };
}

function SecretFields({
  fields,
  change,
}: {
  readonly fields: Fields;
  readonly change: (patch: Partial<Fields>) => void;
}) {
  const address = isAddress(fields.what);
  return (
    <div className="grid gap-3 narrow:grid-cols-2">
      <TextField
        label={address ? 'Header with a secret' : 'Variable with a secret'}
        placeholder={address ? 'Authorization' : 'API_TOKEN'}
        value={fields.secretName}
        onChange={(event) => change({ secretName: event.currentTarget.value })}
      />
      <TextField
        label="Its value"
        type="password"
        hint="Kept with your keys; the registry holds only its name."
        value={fields.secret}
        onChange={(event) => change({ secret: event.currentTarget.value })}
      />
    </div>
  );
}

function ArgumentsField(props: { readonly args: string; readonly onChange: (text: string) => void }) {
  const { args, onChange } = props;
  return (
    <label className="text-sm font-medium">
      Arguments, one a line
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
  readonly outcome: Outcome | null;
  readonly busy: boolean;
  readonly onSave: (draft: IpcInput<'server-save'>) => void;
  readonly onCancel: () => void;
}

/** Adds a server. Shows the exact command, word by word, before the one button that confirms it. */
export function ServerForm({ outcome, busy, onSave, onCancel }: ServerFormProps) {
  const [fields, setFields] = useState(empty);
  const change = (patch: Partial<Fields>) => setFields((before) => ({ ...before, ...patch }));
  const { what, args } = fields;
  const words = isAddress(what) ? [what.trim()] : [what.trim(), ...argsOf(args)];
  const save = (event: FormEvent) => {
    event.preventDefault();
    onSave(draftOf(fields));
  };
  return (
    <form
      aria-label="Add a server"
      onSubmit={save}
      className="flex flex-col gap-3 rounded-lg border border-line p-4"
    >
      <TextField
        label="Name"
        autoFocus
        required
        pattern="[a-z0-9][a-z0-9_-]*"
        hint="Small letters, digits, - and _. Its tools are called mcp://name.tool."
        value={fields.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TextField
        label="Command or address"
        required
        placeholder="npx, or https://…/mcp"
        value={what}
        onChange={(event) => change({ what: event.currentTarget.value })}
      />
      {!isAddress(what) && <ArgumentsField args={args} onChange={(text) => change({ args: text })} />}
      <SecretFields fields={fields} change={change} />
      {what.trim() !== '' && (
        <div className="rounded-lg border border-line bg-copper-soft px-3 py-2 text-sm">
          <p className="mb-1">
            {isAddress(what)
              ? 'Patina will call this address'
              : 'This will run on your computer, with your rights'}
            , and its tools are allowed in this project. A call that may write still asks.
          </p>
          <ServerWords words={words} />
        </div>
      )}
      <OutcomeLine outcome={outcome} />
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button tone="primary" type="submit" disabled={busy}>
          Add and allow
        </Button>
      </div>
    </form>
  );
}
