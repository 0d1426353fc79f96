import type { FieldError } from '#shared/workflow-authoring';
import { useState, type FormEvent } from 'react';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/text-field';

const empty = { workflowId: '', title: '', description: '' };
const fieldNames: Readonly<Record<string, string>> = { Title: 'title', Description: 'description' };

export interface NewDraftProps {
  readonly onBegun: (workflowId: string) => void;
  readonly onCancel: () => void;
}

const rows = [
  {
    name: 'workflowId',
    label: 'Id',
    hint: 'Small letters, digits and underscores, such as review_changes. It never changes.',
  },
  { name: 'title', label: 'Title', hint: 'A few words.' },
  { name: 'description', label: 'Description', hint: 'What it accomplishes, in one or two sentences.' },
] as const;

function useNewDraft(onBegun: NewDraftProps['onBegun']) {
  const commands = useCommands();
  const [fields, setFields] = useState(empty);
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const begin = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await commands.callAuthoring({ operation: 'draft_workflow', ...fields });
    if (!answer.ok) setErrors([{ field: '', message: answer.error.message }]);
    else if (!answer.value.ok) setErrors(answer.value.errors);
    else onBegun(fields.workflowId);
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
export function NewDraft({ onBegun, onCancel }: NewDraftProps) {
  const { fields, change, problems, begin } = useNewDraft(onBegun);
  return (
    <form
      aria-label="New draft"
      onSubmit={(event) => void begin(event)}
      className="flex max-w-xl flex-col gap-4 p-5"
    >
      <div>
        <h2 className="text-lg font-semibold">New draft</h2>
        <p className="mt-0.5 text-sm text-muted">
          A draft is a document: it is in no list and nothing can start it before you publish it.
        </p>
      </div>
      {rows.map(({ name, label, hint }, at) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          autoFocus={at === 0}
          problems={problems(name)}
          value={fields[name]}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
        />
      ))}
      {problems('').map((text) => (
        <p key={text} role="alert" className="text-sm wrap-anywhere text-danger-text">
          {text}
        </p>
      ))}
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button tone="primary" type="submit">
          Begin the draft
        </Button>
      </div>
    </form>
  );
}
