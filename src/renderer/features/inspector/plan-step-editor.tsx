import { ArrowDown, ArrowUp, CircleAlert, PenLine, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { AppError } from '#shared/app-error';
import { maxParallelItems, type PlanNode } from '#shared/plan';
import { movedPlan, withDependants } from '#shared/plan-edit';
import { parseJson, type Json, type JsonObject } from '#shared/json';
import type { RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { CodeBlock } from '../../ui/markdown/code-block';
import { CodeText } from '../../ui/markdown/code-text';
import { TextField } from '../../ui/text-field';
import { Section } from './node-drawer';
import type { PlanEdit } from './use-plan-edit';
import { formatList } from '../../ui/format';

/** What the check finds, with its line; the first words of each are visible beside an icon. */
export function Findings({ findings }: { readonly findings: readonly AppError[] }) {
  if (findings.length === 0) return null;
  return (
    <ul aria-label={text('inspector.review.findings')} className="mt-3 space-y-1.5">
      {findings.map(({ message, hint, line }, at) => (
        <li key={at} className="flex items-start gap-2 text-sm text-danger-text">
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span className="readable min-w-0 whitespace-pre-wrap wrap-anywhere">
            {line !== undefined && <>{text('inspector.review.line', { line })} </>}
            {message}
            {hint !== undefined && <span className="text-muted"> {hint}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface CodeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly language: string;
  readonly onChange: (value: string) => void;
}

/** A field for code with syntax colours: the coloured text lies under a field with transparent letters. */
export function CodeField({ label, value, language, onChange }: CodeFieldProps) {
  const shared = 'col-start-1 row-start-1 m-0 p-3 font-mono text-xs leading-5 whitespace-pre';
  return (
    <div
      dir="ltr"
      className="max-h-[60vh] overflow-auto rounded-lg border border-line-strong bg-code focus-within:border-accent"
    >
      <div className="grid w-max min-w-full">
        <pre aria-hidden="true" className={`${shared} pointer-events-none`}>
          <CodeText code={`${value}\n`} fence={language} growing={false} />
        </pre>
        <textarea
          aria-label={label}
          value={value}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange(event.currentTarget.value)}
          className={`${shared} resize-none overflow-hidden bg-transparent text-transparent caret-text outline-none selection:bg-accent-soft selection:text-transparent`}
        />
      </div>
    </div>
  );
}

/** Where the inputs of a step come from, and the results of an ended step. */
function Inputs({ run, node, edit }: { run: RunState; node: PlanNode; edit: PlanEdit }) {
  if (node.deps.length === 0) return null;
  return (
    <Section title={text('inspector.step.inputs')}>
      <ul className="space-y-2 text-sm">
        {node.deps.map((id) => {
          const state = run.nodes.find((other) => other.id === id)?.state;
          const title = [...edit.plan.nodes, ...(run.plan?.nodes ?? [])].find((one) => one.id === id)?.title;
          return (
            <li key={id} className="readable">
              <code className="font-mono text-xs">{text('inspector.review.input', { id })}</code>{' '}
              {state
                ? text('inspector.review.givenBy', { title: title ?? id })
                : text('inspector.review.willGive', { title: title ?? id })}
              {state && <CodeBlock code={JSON.stringify(state, null, 2)} language="json" growing={false} />}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** The tools of a step; those with which it may write stand out. */
function Tools({ tools, writes }: { tools: readonly string[]; writes: readonly string[] }) {
  if (tools.length === 0) return null;
  return (
    <Section title={text('inspector.step.mayCall')}>
      <ul className="readable space-y-0.5 font-mono text-xs leading-5 wrap-anywhere">
        {tools.map((tool) => (
          <li key={tool} className="flex items-center gap-1.5">
            {tool}
            {writes.includes(tool) && (
              <span className="flex items-center gap-1 font-sans text-copper-text">
                <PenLine aria-hidden="true" className="size-3.5" />
                {text('inspector.review.writes')}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface StepProps {
  readonly run: RunState;
  readonly node: PlanNode;
  readonly edit: PlanEdit;
}

/** Removes a step; the steps that need it are named and go with it. */
function Remove({ node, edit }: Omit<StepProps, 'run'>) {
  const [confirming, setAsked] = useState(false);
  const gone = withDependants(edit.plan, node.id);
  const others = gone.filter(({ id }) => id !== node.id);
  const nothingLeft = gone.length === edit.plan.nodes.length;
  const remove = () => {
    if (nothingLeft || (others.length > 0 && !confirming)) return setAsked(true);
    edit.remove(new Set(gone.map(({ id }) => id)));
  };
  if (!confirming)
    return <IconButton bare icon={Trash2} label={text('inspector.review.remove')} onClick={remove} />;
  const names = formatList(others.map(({ title }) => title));
  return (
    <div role="alert" className="my-2 basis-full rounded-lg border border-line bg-surface p-3 text-sm">
      <p className="readable wrap-anywhere">
        {nothingLeft
          ? text('inspector.review.nothingLeft')
          : text('inspector.review.removesAlso', { names, count: others.length })}
      </p>
      <div className="mt-2 flex justify-end gap-2">
        <Button autoFocus onClick={() => setAsked(false)}>
          {text('inspector.review.keep')}
        </Button>
        {!nothingLeft && (
          <Button tone="danger" onClick={remove}>
            {text('inspector.review.removeAll', { count: gone.length })}
          </Button>
        )}
      </div>
    </div>
  );
}

function Move({ node, edit, by }: Omit<StepProps, 'run'> & { readonly by: -1 | 1 }) {
  const possible = movedPlan(edit.plan, node.id, by) !== null;
  const label = text(by < 0 ? 'inspector.review.up' : 'inspector.review.down');
  return (
    <IconButton
      bare
      title={possible ? label : text('inspector.review.cannotMove', { label })}
      icon={by < 0 ? ArrowUp : ArrowDown}
      label={possible ? label : text('inspector.review.cannotMove', { label })}
      disabled={!possible}
      onClick={() => edit.move(node.id, by)}
    />
  );
}

/** The script or the prompt of a step, to edit. */
function Source({ node, edit }: Omit<StepProps, 'run'>) {
  const { code, prompt } = node;
  return (
    <>
      {code !== undefined && (
        <Section title={text('inspector.step.script')}>
          <CodeField
            label={text('inspector.step.script')}
            language="javascript"
            value={code}
            onChange={(value) => edit.editNode(node.id, 'code', value)}
          />
        </Section>
      )}
      {prompt !== undefined && (
        <Section title={text('inspector.step.prompt')}>
          <CodeField
            label={text('inspector.step.prompt')}
            language="text"
            value={prompt}
            onChange={(value) => edit.editNode(node.id, 'prompt', value)}
          />
        </Section>
      )}
    </>
  );
}

const shownValue = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** One parameter: a text as it is, any other value as JSON, which may be incomplete while it is typed. */
function ParamField({
  name,
  value,
  invalidText,
  onEdit,
}: {
  readonly name: string;
  readonly value: Json;
  /** What was typed here before, if it is not a valid value. */
  readonly invalidText: string | undefined;
  readonly onEdit: (text: string) => void;
}) {
  const [draft, setDraft] = useState({ text: invalidText ?? shownValue(value), value });
  // An undo or another field has changed the value: what was typed before no longer counts.
  const isOwn = JSON.stringify(draft.value) === JSON.stringify(value);
  const shown = isOwn ? draft.text : shownValue(value);
  const type = (text: string): void => {
    const parsed = typeof value === 'string' ? { ok: true as const, value: text } : parseJson(text);
    setDraft({ text, value: parsed.ok ? parsed.value : value });
    onEdit(text);
  };
  // The field stays the same while its text grows, and so does the focus.
  const [isShort] = useState(!shown.includes('\n') && shown.length <= 200);
  if (isShort)
    return <TextField label={name} value={shown} onChange={(event) => type(event.currentTarget.value)} />;
  return (
    <div className="space-y-1">
      <p aria-hidden="true" className="text-sm font-medium">
        {name}
      </p>
      <CodeField
        label={name}
        language={typeof value === 'string' ? 'text' : 'json'}
        value={shown}
        onChange={type}
      />
    </div>
  );
}

/** The parameters of a step or of a recipe, one field each. */
export function ParamFields({
  params,
  invalidText,
  onEdit,
}: {
  readonly params: JsonObject;
  readonly invalidText: (name: string) => string | undefined;
  readonly onEdit: (name: string, text: string) => void;
}) {
  return (
    <div className="space-y-2">
      {Object.entries(params).map(([name, value]) => (
        <ParamField
          key={name}
          name={name}
          value={value}
          invalidText={invalidText(name)}
          onEdit={(text) => onEdit(name, text)}
        />
      ))}
    </div>
  );
}

/** One step of a waiting plan: everything that it will do, and the fields to change it. */
export function PlanStepEditor({ run, node, edit }: StepProps) {
  const checked = edit.preview?.plan?.nodes.find(({ id }) => id === node.id);
  const { title, params = {}, kind, deps, each, parallel = maxParallelItems } = node;
  const facts = [
    kind,
    each === undefined ? '' : text('inspector.review.each', { list: each, parallel }),
    deps.length > 0 ? text('inspector.step.after', { steps: formatList(deps) }) : '',
  ];
  return (
    <article aria-label={text('inspector.step.name', { title })} className="px-4 pt-3.5 pb-8">
      <header className="flex flex-wrap items-center gap-1">
        <p className="min-w-0 grow text-sm text-muted">
          <span className="font-mono text-xs">{node.id}</span> · {facts.filter(Boolean).join(' · ')}
        </p>
        <Move node={node} edit={edit} by={-1} />
        <Move node={node} edit={edit} by={1} />
        <Remove node={node} edit={edit} />
      </header>
      <TextField
        label={text('inspector.review.title')}
        maxLength={200}
        value={title}
        onChange={(event) => edit.editNode(node.id, 'title', event.currentTarget.value)}
      />
      <Findings findings={edit.findings.filter((finding) => finding.node === node.id)} />
      <Source node={node} edit={edit} />
      <Inputs run={run} node={node} edit={edit} />
      <Tools tools={checked?.tools ?? node.tools ?? []} writes={edit.writes[node.id] ?? []} />
      {Object.keys(params).length > 0 && (
        <Section title={text('inspector.step.parameters')}>
          <ParamFields
            params={params}
            invalidText={(name) => edit.invalidText(name, node.id)}
            onEdit={(name, text) => edit.editStepParam(node.id, name, text)}
          />
        </Section>
      )}
    </article>
  );
}

/** A part of the plan above its steps, which the user opens. */
export function Fold({ title, children, open }: { title: string; children: ReactNode; open?: boolean }) {
  return (
    <details open={open} className="border-b border-line px-4 py-2.5 text-sm">
      <summary className="cursor-pointer text-muted">{title}</summary>
      <div className="mt-2">{children}</div>
    </details>
  );
}
