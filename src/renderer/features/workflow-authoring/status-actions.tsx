import type { JsonObject } from '#shared/json';
import type { WorkflowStatus } from '#shared/workflow';
import type { AuthoredWorkflow } from '#shared/workflow-panel';
import { useState, type FormEvent } from 'react';
import { useApp } from '../../store/app-context';
import type { AuthoringCommands } from '../../store/authoring-commands';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/text-field';
import { lineText } from '../../ui/json-text';
import { refusalOf, saveRefusal } from './refusal';
import type { Reload } from './use-draft';

export interface StatusActionsProps {
  readonly workflow: AuthoredWorkflow;
  readonly reload: Reload;
  /** Shows the change that the user must confirm. */
  readonly onChange: () => void;
}

interface Step {
  readonly to: WorkflowStatus;
  readonly label: string;
}

const steps: Readonly<Record<string, readonly Step[]>> = {
  published: [
    { to: 'deprecated', label: 'Deprecate' },
    { to: 'disabled', label: 'Disable' },
  ],
  deprecated: [
    { to: 'active', label: 'Make active again' },
    { to: 'disabled', label: 'Disable' },
  ],
  disabled: [{ to: 'active', label: 'Make active again' }],
};

/** Saves fields into the current draft; returns the refusal and the version that the draft then requires. */
async function put(commands: AuthoringCommands, workflowId: string, fields: JsonObject) {
  const view = await commands.viewAuthored(workflowId);
  const revision = (view.ok && view.value.draft?.hash) || '';
  const refused = saveRefusal(await commands.saveDraft({ workflowId, revision, fields }));
  const now = refused === null ? await commands.viewAuthored(workflowId) : view;
  return { refused, least: (now.ok && now.value.change?.leastVersion) || null };
}

/**
 * Creates a draft that changes only the status and, as required, the version; shows the change before it is
 * published.
 */
function useStatusDraft({ workflow, reload, onChange }: StatusActionsProps) {
  const { commands } = useApp();
  const { workflowId, fields } = workflow;
  return async (to: WorkflowStatus): Promise<string | null> => {
    const [title, description] = [lineText(fields?.['Title']), lineText(fields?.['Description'])];
    const begun = { operation: 'draft_workflow', workflowId, title, description } as const;
    const refused = refusalOf(await commands.callAuthoring(begun));
    if (refused !== null) return refused;
    const changed = await put(commands, workflowId, { Status: to });
    if (changed.refused !== null) return changed.refused;
    if (changed.least) await put(commands, workflowId, { Version: changed.least });
    await reload();
    onChange();
    return null;
  };
}

/** Removes a disabled workflow, with a reason for its history (TUL-006 §8.9). */
function Removal({ workflow, reload }: Omit<StatusActionsProps, 'onChange'>) {
  const { commands, view } = useApp();
  const [reason, setReason] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  const { workflowId, published, draft, ddr } = workflow;
  const remove = async (event: FormEvent) => {
    event.preventDefault();
    const shown = { draft: draft?.hash ?? null, published: published?.hash ?? null };
    const why = refusalOf(await commands.removeWorkflow({ workflowId, shown, reason }));
    setRefused(why);
    if (why === null) view.toast(`${workflowId} was removed. Its history stays.`);
    await reload();
  };
  return (
    <form
      aria-label="Remove the workflow"
      onSubmit={(event) => void remove(event)}
      className="mt-3 flex flex-col gap-2"
    >
      <TextField
        label="Why it is removed"
        hint={`Kept in its history. ${ddr?.id ?? 'Its design record'} has to be approved for it.`}
        required
        maxLength={1_000}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {refused !== null && (
        <p role="alert" className="text-sm text-danger-text wrap-anywhere">
          {refused}
        </p>
      )}
      <div className="flex justify-end">
        <Button tone="danger" type="submit">
          Remove {workflowId}
        </Button>
      </div>
    </form>
  );
}

function words({ published, draft }: AuthoredWorkflow): string {
  if (!published) return 'Nothing of it is published.';
  if (draft) return 'It has a draft. Publish or discard that before the status changes.';
  if (published.status === 'disabled') return 'It does not run. It can be made active again, or removed.';
  return 'A deprecated workflow runs with a warning; a disabled one does not run. Either is a new version: you see the difference first.';
}

/** Deprecates, disables, re-enables or removes a published workflow. */
export function StatusActions(props: StatusActionsProps) {
  const [refused, setRefused] = useState<string | null>(null);
  const change = useStatusDraft(props);
  const { published, draft } = props.workflow;
  const open = published !== null && draft === null;
  return (
    <section aria-label="Status">
      <h3 className="mb-1 text-base font-semibold">Status</h3>
      <p className="text-sm text-muted">{words(props.workflow)}</p>
      {open && (
        <div className="mt-2 flex flex-wrap gap-2">
          {(steps[published.status] ?? []).map(({ to, label }) => (
            <Button key={to} onClick={() => void change(to).then(setRefused)}>
              {label}
            </Button>
          ))}
        </div>
      )}
      {refused !== null && (
        <p role="alert" className="mt-2 text-sm text-danger-text wrap-anywhere">
          {refused}
        </p>
      )}
      {open && published.status === 'disabled' && <Removal {...props} />}
    </section>
  );
}
