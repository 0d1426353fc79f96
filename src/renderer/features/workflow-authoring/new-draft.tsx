import type { FieldError } from '#shared/workflow-authoring';
import { useState, type FormEvent } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { lineText } from '../../ui/json-text';
import { TextField } from '../../ui/text-field';
import type { Commands } from '../../store/commands';
import { copyIntoDraft, type DraftSource } from './draft-copy';
import { refusalOf } from './refusal';

const empty = { workflowId: '', title: '', description: '' };
const fieldNames: Readonly<Record<string, string>> = { Title: 'title', Description: 'description' };

export interface NewDraftProps {
  /** Null for an empty draft. */
  readonly source: DraftSource | null;
  readonly onBegun: (workflowId: string) => void;
  readonly onCancel: () => void;
}

const rows = [
  { name: 'workflowId', key: 'id' },
  { name: 'title', key: 'title' },
  { name: 'description', key: 'description' },
] as const;

function firstWords({ kind, fields }: DraftSource): typeof empty {
  return {
    workflowId: kind === 'file' ? lineText(fields['WorkflowId']) : '',
    title: lineText(fields['Title']),
    description: lineText(fields['Description']),
  };
}

/** Takes back a draft that was begun for fields which it then refused. */
async function takeBack(
  commands: Pick<Commands, 'viewAuthored' | 'discardDraft'>,
  workflowId: string,
): Promise<void> {
  const viewed = await commands.viewAuthored(workflowId);
  if (!viewed.ok) return;
  const { draft, published } = viewed.value;
  const shown = { draft: draft?.hash ?? null, published: published?.hash ?? null };
  refusalOf(await commands.discardDraft({ workflowId, shown }));
}

function useNewDraft({ source, onBegun }: Pick<NewDraftProps, 'source' | 'onBegun'>) {
  const { commands } = useApp();
  const [fields, setFields] = useState(source ? firstWords(source) : empty);
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const begin = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await commands.callAuthoring({ operation: 'draft_workflow', ...fields });
    if (!answer.ok) setErrors([{ field: '', message: answer.error.message }]);
    else if (!answer.value.ok) setErrors(answer.value.errors);
    else {
      const { workflowId, title, description } = fields;
      const words = { Title: title, Description: description };
      const copied = source && { ...source, fields: { ...source.fields, ...words } };
      const refused = copied && (await copyIntoDraft(commands, workflowId, copied));
      if (refused === null) return onBegun(workflowId);
      await takeBack(commands, workflowId);
      setErrors([{ field: '', message: refused }]);
    }
  };
  return {
    fields,
    change: (patch: Partial<typeof empty>) => setFields((before) => ({ ...before, ...patch })),
    problems: (name: string) =>
      errors.filter(({ field }) => (fieldNames[field] ?? field) === name).map(({ message }) => message),
    begin,
  };
}

const labels = { copy: 'copyLabel', file: 'fileLabel' } as const;

/** Creates a draft of a new workflow; it cannot start before it is published. */
export function NewDraft({ source, onBegun, onCancel }: NewDraftProps) {
  const { fields, change, problems, begin } = useNewDraft({ source, onBegun });
  const label = text(`workflowAuthoring.new.${source ? labels[source.kind] : 'label'}`);
  return (
    <form
      aria-label={label}
      onSubmit={(event) => void begin(event)}
      className="flex max-w-xl flex-col gap-4 p-5"
    >
      <div>
        <h2 className="text-lg font-semibold">{label}</h2>
        <p className="mt-0.5 text-sm text-muted">
          {text(`workflowAuthoring.new.${source?.kind === 'file' ? 'fileHint' : 'hint'}`)}
        </p>
      </div>
      {rows.map(({ name, key }, at) => (
        <TextField
          key={name}
          label={text(`workflowAuthoring.new.${key}`)}
          hint={text(`workflowAuthoring.new.${key}Hint`)}
          autoFocus={at === 0}
          problems={problems(name)}
          value={fields[name]}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
        />
      ))}
      {problems('').map((problem) => (
        <p key={problem} role="alert" className="text-sm wrap-anywhere text-danger-text">
          {problem}
        </p>
      ))}
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onCancel}>
          {text('shared.cancel')}
        </Button>
        <Button tone="primary" type="submit">
          {text('workflowAuthoring.new.create')}
        </Button>
      </div>
    </form>
  );
}
