import type { JsonObject } from '#shared/json';
import type { FieldError } from '#shared/workflow-authoring';
import { useState, type FormEvent } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { lineText } from '../../ui/json-text';
import { TextField } from '../../ui/text-field';
import { copyIntoDraft } from './draft-copy';

const empty = { workflowId: '', title: '', description: '' };
const fieldNames: Readonly<Record<string, string>> = { Title: 'title', Description: 'description' };

export interface NewDraftProps {
  /** The fields of the workflow to copy; null for an empty draft. */
  readonly source: JsonObject | null;
  readonly onBegun: (workflowId: string) => void;
  readonly onCancel: () => void;
}

const rows = [
  { name: 'workflowId', key: 'id' },
  { name: 'title', key: 'title' },
  { name: 'description', key: 'description' },
] as const;

function useNewDraft({ source, onBegun }: Pick<NewDraftProps, 'source' | 'onBegun'>) {
  const { commands, view } = useApp();
  const [fields, setFields] = useState(
    source
      ? { workflowId: '', title: lineText(source['Title']), description: lineText(source['Description']) }
      : empty,
  );
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const begin = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await commands.callAuthoring({ operation: 'draft_workflow', ...fields });
    if (!answer.ok) setErrors([{ field: '', message: answer.error.message }]);
    else if (!answer.value.ok) setErrors(answer.value.errors);
    else {
      const { workflowId, title, description } = fields;
      const words = { Title: title, Description: description };
      const refused = source && (await copyIntoDraft(commands, workflowId, { ...source, ...words }));
      if (refused !== null) view.toast(refused);
      onBegun(workflowId);
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

/** Creates a draft of a new workflow; it cannot start before it is published. */
export function NewDraft({ source, onBegun, onCancel }: NewDraftProps) {
  const { fields, change, problems, begin } = useNewDraft({ source, onBegun });
  const label = text(source ? 'workflowAuthoring.new.copyLabel' : 'workflowAuthoring.new.label');
  return (
    <form
      aria-label={label}
      onSubmit={(event) => void begin(event)}
      className="flex max-w-xl flex-col gap-4 p-5"
    >
      <div>
        <h2 className="text-lg font-semibold">{label}</h2>
        <p className="mt-0.5 text-sm text-muted">{text('workflowAuthoring.new.hint')} </p>
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
