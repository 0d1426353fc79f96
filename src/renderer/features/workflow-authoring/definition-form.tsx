import type { FieldError } from '#shared/workflow-authoring';
import type { AuthoringNames } from '#shared/workflow-panel';
import { CircleAlert, CircleCheck, RefreshCw } from 'lucide-react';
import { useId, useRef } from 'react';
import { formatMany } from '../../ui/format';
import { formSections } from './form-fields';
import type { Part } from './form-parts';
import { PartEditor } from './part-editor';
import type { DraftForm } from './use-draft';
import { ConflictChoice } from './conflict-choice';

const shownFindings = 20;

/** A message shown at its field does not repeat the field's name. */
const bare = (field: string, message: string): string =>
  message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;

const labels = new Map(
  formSections.flatMap(({ parts }) =>
    parts.map(({ name, label }) => [name, label.replace(/, one a line$/, '')]),
  ),
);

/** One field of the manifest, with its findings below. */
function Field({
  part,
  form,
  names,
}: {
  readonly part: Part;
  readonly form: DraftForm;
  readonly names: AuthoringNames;
}) {
  const id = useId();
  const found = form.findings?.errors.filter(({ field }) => field === part.name) ?? [];
  const conflict = form.conflicts.find(({ field }) => field === part.name);
  return (
    <div data-field={part.name}>
      <PartEditor
        part={part}
        names={names}
        value={form.values[part.name]}
        invalid={found.length > 0}
        describedBy={found.length > 0 ? `${id}-found` : undefined}
        onChange={(value) => form.change(part.name, value)}
      />
      {conflict && (
        <ConflictChoice
          label={labels.get(part.name) ?? part.label}
          conflict={conflict}
          onKeepLocal={() => form.keepLocal(conflict)}
          onAcceptRemote={() => form.acceptRemote(conflict)}
        />
      )}
      {found.length > 0 && (
        <ul id={`${id}-found`} className="mt-1 space-y-0.5 text-xs text-danger-text">
          {found.map(({ message }) => (
            <li key={message} className="wrap-anywhere">
              {bare(part.name, message)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** All findings in one place; each links to its field. */
function Summary({
  errors,
  onGo,
}: {
  readonly errors: readonly FieldError[];
  readonly onGo: (field: string) => void;
}) {
  if (errors.length === 0) {
    return (
      <p role="status" className="flex items-center gap-1.5 text-sm text-muted">
        <CircleCheck aria-hidden size={14} className="text-accent-text" /> Nothing is missing.
      </p>
    );
  }
  return (
    <section
      aria-label="Findings"
      className="rounded-lg border border-copper/45 bg-copper-soft px-3 py-2 text-sm"
    >
      <p role="status" className="flex items-center gap-1.5 font-medium">
        <CircleAlert aria-hidden size={14} className="text-copper-text" />
        {formatMany(errors.length, 'finding')} before it can be published
      </p>
      <ul className="mt-1 space-y-0.5">
        {errors.slice(0, shownFindings).map(({ field, message }) => (
          <li key={`${field} ${message}`} className="wrap-anywhere">
            {labels.has(field) ? (
              <button
                type="button"
                className="text-start underline decoration-line-strong underline-offset-2 hover:decoration-current"
                onClick={() => onGo(field)}
              >
                {labels.get(field)}
              </button>
            ) : (
              field
            )}
            {field !== '' && ': '}
            {bare(field, message)}
          </li>
        ))}
        {errors.length > shownFindings && (
          <li className="text-muted">and {errors.length - shownFindings} more, each at its field</li>
        )}
      </ul>
    </section>
  );
}

/** All blocking problems, with conflicting fields first. */
const inTheWay = ({ conflicts, findings }: DraftForm): readonly FieldError[] => [
  ...conflicts.map(({ field }) => ({ field, message: 'It has two texts now. Choose which one holds.' })),
  ...(findings?.errors ?? []),
];

/**
 * Reports changes that a model or the command line made meanwhile: the form shows them and keeps the user's
 * edits.
 */
function RemoteChangesNote({ fields }: { readonly fields: readonly string[] }) {
  if (fields.length === 0) return null;
  const names = fields.map((field) => labels.get(field) ?? field).join(', ');
  return (
    <p
      role="status"
      className="flex items-start gap-1.5 rounded-lg border border-line bg-surface px-3 py-2 text-sm"
    >
      <RefreshCw aria-hidden size={14} className="mt-0.5 shrink-0 text-muted" />
      <span className="min-w-0 wrap-anywhere">
        Changed while this was open, by a model or from the command line: {names}. What you typed is kept.
      </span>
    </p>
  );
}

function savedText({ saving, unsaved }: DraftForm): string {
  if (unsaved.length > 0) {
    const fields = formatMany(unsaved.length, 'field');
    return `${fields} not in the draft yet: see what is marked. What you typed is kept.`;
  }
  return saving ? 'Saving…' : 'Saved in the draft.';
}

export interface DefinitionFormProps {
  readonly form: DraftForm;
  readonly names: AuthoringNames;
  /** Published definitions are read-only. */
  readonly readOnly: boolean;
}

/**
 * The manifest as a form: edits are saved in the draft and checked immediately, with each finding at its
 * field.
 */
export function DefinitionForm({ form, names, readOnly }: DefinitionFormProps) {
  const box = useRef<HTMLFormElement>(null);
  const go = (field: string) =>
    box.current
      ?.querySelector<HTMLElement>(`[data-field="${field}"] :is(input, textarea, select, button)`)
      ?.focus();
  return (
    <form
      ref={box}
      aria-label="Definition"
      onSubmit={(event) => event.preventDefault()}
      className="flex max-w-3xl flex-col gap-4"
    >
      <RemoteChangesNote fields={form.remotelyChanged} />
      {!readOnly && form.findings && <Summary errors={inTheWay(form)} onGo={go} />}
      <fieldset disabled={readOnly} className="flex min-w-0 flex-col gap-7">
        {formSections.map(({ title, parts }) => (
          <section key={title} aria-label={title} className="flex flex-col gap-4">
            <h3 className="border-b border-line pb-1 text-base font-semibold">{title}</h3>
            {parts.map((part) => (
              <Field key={part.name} part={part} form={form} names={names} />
            ))}
          </section>
        ))}
      </fieldset>
      {!readOnly && (
        <p role="status" className="text-xs text-muted">
          {savedText(form)}
        </p>
      )}
    </form>
  );
}
