import type { AuthoredWorkflow, WorkflowChange } from '#shared/workflow-panel';
import { useState } from 'react';
import { richText, text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/text-field';
import { Difference } from './difference';
import { lineText } from '../../ui/json-text';
import { refusalOf } from './refusal';
import type { DraftForm, Reload } from './use-draft';

interface StepProps {
  readonly change: WorkflowChange;
  readonly version: string;
  readonly onVersion: (version: string) => void;
}

/** The version bump that the change requires, and the fields that require it. */
function Step({ change, version, onVersion }: StepProps) {
  const { minVersion, step, demands } = change;
  if (minVersion === null || step === 'none') return null;
  return (
    <section aria-label={text('workflowAuthoring.change.versionStep')} className="text-sm">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          {richText(`workflowAuthoring.change.step.${step}`, {
            minimum: minVersion,
            version: (inner) => <span className="numbers font-mono">{inner}</span>,
          })}
        </span>
        {version !== minVersion && (
          <Button className="h-7 px-2" onClick={() => onVersion(minVersion)}>
            {text('workflowAuthoring.change.use', { version: minVersion })}
          </Button>
        )}
      </p>
      <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-muted">
        {demands.map(({ field, step: demanded, because }) => (
          <li key={field}>
            <span className="font-mono">{field}</span>:{' '}
            {text('workflowAuthoring.change.demand', { step: demanded, reason: because })}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What blocks publishing; an empty list enables the button. */
function waitsFor({ findings, unsaved, saving }: DraftForm, { draft }: AuthoredWorkflow): readonly string[] {
  if (draft?.outdated) {
    return [text('workflowAuthoring.change.outdated')];
  }
  if (!findings) return [text('workflowAuthoring.change.checking')];
  const errors = findings.errors.length;
  return [
    ...(unsaved.length > 0 ? [text('workflowAuthoring.change.fields', { count: unsaved.length })] : []),
    ...(errors > 0 ? [text('workflowAuthoring.change.problems', { count: errors })] : []),
    ...findings.blockers,
    ...(saving && errors === 0 && unsaved.length === 0 ? [text('workflowAuthoring.change.savingLast')] : []),
  ];
}

function Waits({ waits }: { readonly waits: readonly string[] }) {
  if (waits.length === 0) return null;
  return (
    <section
      aria-label={text('workflowAuthoring.change.blockers')}
      className="rounded-lg border border-copper/45 bg-copper-soft px-3 py-2 text-sm"
    >
      <p className="font-medium">{text('workflowAuthoring.change.before')}</p>
      <ul className="mt-0.5 list-disc ps-5">
        {waits.map((reason) => (
          <li key={reason} className="wrap-anywhere">
            {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Advice({ advice }: { readonly advice: readonly string[] }) {
  if (advice.length === 0) return null;
  return (
    <section aria-label={text('workflowAuthoring.change.advice')} className="text-sm text-muted">
      <p className="font-medium">{text('workflowAuthoring.change.advice')}</p>
      <ul className="mt-0.5 list-disc ps-5">
        {advice.map((one) => (
          <li key={one} className="wrap-anywhere">
            {one}
          </li>
        ))}
      </ul>
    </section>
  );
}

export interface ChangeTabProps {
  readonly workflow: AuthoredWorkflow;
  readonly form: DraftForm;
  readonly reload: Reload;
}

/** The difference from the published version, and the button that publishes exactly this difference. */
export function ChangeTab({ workflow, form, reload }: ChangeTabProps) {
  const { commands, view } = useApp();
  const [refused, setRefused] = useState<string | null>(null);
  const [reason, setReason] = useState('');
  const { workflowId, change, draft, published, ddr } = workflow;
  if (!change) {
    return <p className="py-6 text-center text-sm text-muted">{text('workflowAuthoring.change.none')}</p>;
  }
  const version = lineText(form.values['Version']);
  const waits = waitsFor(form, workflow);
  const publish = async () => {
    const shown = { draft: draft?.hash ?? null, published: published?.hash ?? null };
    const why = refusalOf(await commands.publishWorkflow({ workflowId, shown, reason }));
    setRefused(why);
    if (why === null)
      view.toast(text('workflowAuthoring.change.published', { workflow: workflowId, version }));
    await reload();
  };
  const record = ddr?.id ?? text('workflowAuthoring.change.record');
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <p className="text-sm text-muted">
        {draft
          ? published
            ? text('workflowAuthoring.change.against', { version: published.version })
            : text('workflowAuthoring.change.allNew')
          : text('workflowAuthoring.change.drift', { record })}
      </p>
      <Step change={change} version={version} onVersion={(next) => form.change('Version', next)} />
      <div
        role="region"
        aria-label={text('workflowAuthoring.change.difference')}
        className="overflow-hidden rounded-lg border border-line"
      >
        <Difference hunks={change.hunks} />
      </div>
      <Waits waits={waits} />
      <Advice advice={form.findings?.advice ?? []} />
      {draft && (
        <TextField
          label={text('workflowAuthoring.change.reason')}
          hint={text('workflowAuthoring.change.reasonHint')}
          value={reason}
          maxLength={1_000}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      {refused !== null && (
        <p role="alert" className="text-sm text-danger-text wrap-anywhere">
          {refused}
        </p>
      )}
      <div className="flex flex-wrap items-center justify-end gap-3">
        <p className="min-w-0 flex-1 text-xs text-muted">
          {text('workflowAuthoring.change.note', { record })}
        </p>
        <Button tone="primary" disabled={waits.length > 0} onClick={() => void publish()}>
          {draft
            ? text('workflowAuthoring.change.publish', { version })
            : text('workflowAuthoring.change.approve')}
        </Button>
      </div>
    </div>
  );
}
