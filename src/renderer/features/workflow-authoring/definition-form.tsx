import type { FieldError } from '#shared/workflow-authoring';
import type { AuthoringNames } from '#shared/workflow-panel';
import { CircleAlert, CircleCheck, RefreshCw, GitCompareArrows } from 'lucide-react';
import { useRef } from 'react';
import { text } from '../../locales/text';
import { SchemaField, type FieldText, type PathProblem } from '../../ui/schema-form';
import { definitionSchema, fieldLabel, fieldTexts, formSections } from './definition-fields';
import type { DraftForm } from './use-draft';
import { Button } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import type { Conflict } from './draft-edits';
import { shownText } from '../../ui/json-text';
import { formatList } from '../../ui/format';

interface SideProps {
  readonly label: string;
  readonly value: string;
}

/** One of the two texts in full; a long text scrolls. */
function Side({ label, value }: SideProps) {
  return (
    <div className="min-w-0">
      <p className="text-xs text-muted">{label}</p>
      <div
        dir="auto"
        role="region"
        aria-label={label}
        tabIndex={0}
        className={classNames(
          'readable mt-0.5 max-h-48 overflow-y-auto rounded-md border border-line bg-canvas px-2.5 py-1.5 text-sm whitespace-pre-wrap wrap-anywhere',
          value === '' && 'text-muted',
        )}
      >
        {value === '' ? text('workflowAuthoring.conflict.empty') : value}
      </div>
    </div>
  );
}

interface ConflictChoiceProps {
  readonly label: string;
  readonly conflict: Conflict;
  readonly onChooseLocal: () => void;
  readonly onAcceptRemote: () => void;
}

/**
 * Two values of one field and the choice between them; until the user chooses, neither overwrites the other.
 */
function ConflictChoice({ label, conflict, onChooseLocal, onAcceptRemote }: ConflictChoiceProps) {
  return (
    <section
      role="group"
      aria-label={text('workflowAuthoring.conflict.label', { field: label })}
      className="mt-1.5 rounded-lg border border-copper/45 bg-copper-soft p-3"
    >
      <p className="flex items-start gap-1.5 text-sm font-medium">
        <GitCompareArrows aria-hidden size={14} className="mt-0.5 shrink-0 text-copper-text" />
        <span className="min-w-0">{text('workflowAuthoring.conflict.text')} </span>
      </p>
      <div className="mt-2 grid gap-3 narrow:grid-cols-2">
        <Side label={text('workflowAuthoring.conflict.mine')} value={shownText(conflict.yours)} />
        <Side label={text('workflowAuthoring.conflict.theirs')} value={shownText(conflict.theirs)} />
      </div>
      <div className="mt-2.5 flex flex-wrap justify-end gap-2">
        <Button onClick={onAcceptRemote}>{text('workflowAuthoring.conflict.takeTheirs')}</Button>
        <Button tone="primary" onClick={onChooseLocal}>
          {text('workflowAuthoring.conflict.keepMine')}
        </Button>
      </div>
    </section>
  );
}

const shownFindings = 20;

/** A message shown at its field does not repeat the field's name. */
const bare = (field: string, message: string): string =>
  message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;

/** The exact position that a finding's message names: `RequiredInputs[1].name: …` is at `RequiredInputs.0.name`. */
function toPathProblem({ field, message }: FieldError): PathProblem {
  const place = /^((?:\.\w+|\[\d+\])+): /.exec(message.startsWith(field) ? message.slice(field.length) : '');
  if (!place) return { path: field, message: bare(field, message) };
  const path = (place[1] ?? '').replace(/\[(\d+)\]/g, (_, at: string) => `.${Number(at) - 1}`);
  return { path: `${field}${path}`, message: message.slice(field.length + place[0].length) };
}

interface DefinitionFieldProps {
  readonly name: string;
  readonly form: DraftForm;
  readonly textOf: (path: string) => FieldText;
}

/** One field of the manifest, generated from the schema, with its findings and its conflict. */
function DefinitionField({ name, form, textOf }: DefinitionFieldProps) {
  const schema = definitionSchema.properties?.[name];
  const conflict = form.conflicts.find(({ field }) => field === name);
  const errors = form.findings?.errors.filter(({ field }) => field === name) ?? [];
  return (
    <div data-field={name}>
      <SchemaField
        schema={typeof schema === 'object' ? schema : {}}
        path={name}
        value={form.values[name]}
        problems={errors.map(toPathProblem)}
        textOf={textOf}
        onChange={(value) => form.change(name, value)}
      />
      {conflict && (
        <ConflictChoice
          label={fieldLabel(name)}
          conflict={conflict}
          onChooseLocal={() => form.chooseLocal(conflict)}
          onAcceptRemote={() => form.acceptRemote(conflict)}
        />
      )}
    </div>
  );
}

const isFormField = (field: string): boolean => formSections.some(({ fields }) => fields.includes(field));

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
        <CircleCheck aria-hidden size={14} className="text-accent-text" />{' '}
        {text('workflowAuthoring.form.complete')}
      </p>
    );
  }
  return (
    <section
      aria-label={text('workflowAuthoring.form.findings')}
      className="rounded-lg border border-copper/45 bg-copper-soft px-3 py-2 text-sm"
    >
      <p role="status" className="flex items-center gap-1.5 font-medium">
        <CircleAlert aria-hidden size={14} className="text-copper-text" />
        {text('workflowAuthoring.form.findingCount', { count: errors.length })}
      </p>
      <ul className="mt-1 space-y-0.5">
        {errors.slice(0, shownFindings).map(({ field, message }) => (
          <li key={`${field} ${message}`} className="wrap-anywhere">
            {isFormField(field) ? (
              <button
                type="button"
                className="text-start underline decoration-line-strong underline-offset-2 hover:decoration-current"
                onClick={() => onGo(field)}
              >
                {fieldLabel(field)}
              </button>
            ) : (
              field
            )}
            {field !== '' && ': '}
            {bare(field, message)}
          </li>
        ))}
        {errors.length > shownFindings && (
          <li className="text-muted">
            {text('workflowAuthoring.form.more', { count: errors.length - shownFindings })}
          </li>
        )}
      </ul>
    </section>
  );
}

/** All blocking problems, with conflicting fields first. */
const inTheWay = ({ conflicts, findings }: DraftForm): readonly FieldError[] => [
  ...conflicts.map(({ field }) => ({ field, message: text('workflowAuthoring.form.conflict') })),
  ...(findings?.errors ?? []),
];

/**
 * Reports changes that a model or the command line made meanwhile: the form shows them and keeps the user's
 * edits.
 */
function RemoteChangesNote({ fields }: { readonly fields: readonly string[] }) {
  if (fields.length === 0) return null;
  const names = formatList(fields.map(fieldLabel));
  return (
    <p
      role="status"
      className="flex items-start gap-1.5 rounded-lg border border-line bg-surface px-3 py-2 text-sm"
    >
      <RefreshCw aria-hidden size={14} className="mt-0.5 shrink-0 text-muted" />
      <span className="min-w-0 wrap-anywhere">
        {text('workflowAuthoring.form.remote', { fields: names })}
      </span>
    </p>
  );
}

function savedText({ saving, unsaved }: DraftForm): string {
  if (unsaved.length > 0) return text('workflowAuthoring.form.unsaved', { count: unsaved.length });
  return saving ? text('workflowAuthoring.form.saving') : text('workflowAuthoring.form.saved');
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
  const textOf = fieldTexts(names);
  const go = (field: string) =>
    box.current
      ?.querySelector<HTMLElement>(`[data-field="${field}"] :is(input, textarea, select, button)`)
      ?.focus();
  return (
    <form
      ref={box}
      data-stored
      aria-label={text('workflowAuthoring.form.label')}
      onSubmit={(event) => event.preventDefault()}
      className="flex max-w-3xl flex-col gap-4"
    >
      <RemoteChangesNote fields={form.remotelyChanged} />
      {!readOnly && form.findings && <Summary errors={inTheWay(form)} onGo={go} />}
      <fieldset disabled={readOnly} className="flex min-w-0 flex-col gap-7">
        {formSections.map(({ section, fields }) => (
          <section
            key={section}
            aria-label={text(`workflowAuthoring.section.${section}`)}
            className="flex flex-col gap-4"
          >
            <h3 className="border-b border-line pb-1 text-base font-semibold">
              {text(`workflowAuthoring.section.${section}`)}
            </h3>
            {fields.map((name) => (
              <DefinitionField key={name} name={name} form={form} textOf={textOf} />
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
