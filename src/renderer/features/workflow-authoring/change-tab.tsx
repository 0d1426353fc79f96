import type { AuthoredWorkflow, WorkflowChange } from '#shared/workflow-panel';
import { useState } from 'react';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { formatMany } from '../../ui/format';
import { Difference } from './difference';
import { lineText } from '../../ui/json-text';
import { refusalOf } from './refusal';
import type { DraftForm, Reload } from './use-draft';

const stepWords = { none: '', patch: 'a correction', minor: 'an addition', major: 'a change of behaviour' };

interface StepProps {
  readonly change: WorkflowChange;
  readonly version: string;
  readonly onVersion: (version: string) => void;
}

/** The version bump that the change requires, and the fields that require it. */
function Step({ change, version, onVersion }: StepProps) {
  const { leastVersion, step, demands } = change;
  if (leastVersion === null) return null;
  return (
    <section aria-label="Version step" className="text-sm">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          This is {stepWords[step]}: version <span className="numbers font-mono">{leastVersion}</span> or
          later.
        </span>
        {version !== leastVersion && (
          <Button className="h-7 px-2" onClick={() => onVersion(leastVersion)}>
            Use {leastVersion}
          </Button>
        )}
      </p>
      <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-muted">
        {demands.map(({ field, step: demanded, because }) => (
          <li key={field}>
            <span className="font-mono">{field}</span>: {demanded}, {because}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What blocks publishing; an empty list enables the button. */
function waitsFor({ findings, unsaved, saving }: DraftForm, { draft }: AuthoredWorkflow): readonly string[] {
  if (draft?.outdated) {
    return ['What is published was changed after this draft was begun. Discard it, then draft it anew.'];
  }
  if (!findings) return ['It is being checked.'];
  const errors = findings.errors.length;
  return [
    ...(unsaved.length > 0 ? [`${formatMany(unsaved.length, 'field')} not in the draft yet.`] : []),
    ...(errors > 0 ? [`${formatMany(errors, 'finding')} under Definition.`] : []),
    ...findings.blockers.map((text) => text.replace(/^Before publishing: /, '')),
    ...(saving && errors === 0 && unsaved.length === 0 ? ['The last change is being saved.'] : []),
  ];
}

function Waits({ waits }: { readonly waits: readonly string[] }) {
  if (waits.length === 0) return null;
  return (
    <section
      aria-label="What publishing waits for"
      className="rounded-lg border border-copper/45 bg-copper-soft px-3 py-2 text-sm"
    >
      <p className="font-medium">Before it can be published</p>
      <ul className="mt-0.5 list-disc ps-5">
        {waits.map((text) => (
          <li key={text} className="wrap-anywhere">
            {text}
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
  const { workflowId, change, draft, published, ddr } = workflow;
  if (!change) {
    return <p className="py-6 text-center text-sm text-muted">There is no draft, so nothing would change.</p>;
  }
  const version = lineText(form.values['Version']);
  const waits = waitsFor(form, workflow);
  const publish = async () => {
    const shown = { draft: draft?.hash ?? null, published: published?.hash ?? null };
    const why = refusalOf(await commands.publishWorkflow({ workflowId, shown }));
    setRefused(why);
    if (why === null) view.toast(`${workflowId} ${version} is published.`);
    await reload();
  };
  const record = ddr?.id ?? 'its design record';
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <p className="text-sm text-muted">
        {draft
          ? published
            ? `Against version ${published.version}, which is published.`
            : 'Nothing of it is published yet: all of it is new.'
          : `What is published is not what ${record} approved. Read it, then approve it as it is or restore what was approved.`}
      </p>
      <Step change={change} version={version} onVersion={(next) => form.change('Version', next)} />
      <div role="region" aria-label="Difference" className="overflow-hidden rounded-lg border border-line">
        <Difference hunks={change.hunks} />
      </div>
      <Waits waits={waits} />
      {refused !== null && (
        <p role="alert" className="text-sm text-danger-text wrap-anywhere">
          {refused}
        </p>
      )}
      <div className="flex flex-wrap items-center justify-end gap-3">
        <p className="min-w-0 flex-1 text-xs text-muted">
          Your click approves exactly this definition and writes its hash into {record}. Open sessions keep
          the version they began with.
        </p>
        <Button tone="primary" disabled={waits.length > 0} onClick={() => void publish()}>
          {draft ? `Publish ${version}` : 'Approve as it is'}
        </Button>
      </div>
    </div>
  );
}
