import type { JsonObject } from '#shared/json';
import type { WorkflowStatus } from '#shared/workflow';
import type { AuthoredWorkflow } from '#shared/workflow-panel';
import { useState, type FormEvent } from 'react';
import { text } from '../../locales/text';
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

const steps: Readonly<Record<string, readonly WorkflowStatus[]>> = {
  published: ['deprecated', 'disabled'],
  deprecated: ['active', 'disabled'],
  disabled: ['active'],
};

/** Saves fields into the current draft; returns the refusal and the version that the draft then requires. */
async function put(commands: AuthoringCommands, workflowId: string, fields: JsonObject) {
  const view = await commands.viewAuthored(workflowId);
  const revision = (view.ok && view.value.draft?.hash) || '';
  const refused = saveRefusal(await commands.saveDraft({ workflowId, revision, fields }));
  const now = refused === null ? await commands.viewAuthored(workflowId) : view;
  return { refused, minVersion: (now.ok && now.value.change?.minVersion) || null };
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
    if (changed.minVersion) await put(commands, workflowId, { Version: changed.minVersion });
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
    if (why === null) view.toast(text('workflowAuthoring.state.removed', { workflow: workflowId }));
    await reload();
  };
  return (
    <form
      aria-label={text('workflowAuthoring.state.removeForm')}
      onSubmit={(event) => void remove(event)}
      className="mt-3 flex flex-col gap-2"
    >
      <TextField
        label={text('workflowAuthoring.state.reason')}
        hint={text('workflowAuthoring.state.reasonHint', {
          record: ddr?.id ?? text('workflowAuthoring.state.record'),
        })}
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
          {text('workflowAuthoring.state.remove', { workflow: workflowId })}
        </Button>
      </div>
    </form>
  );
}

function statusText({ published, draft }: AuthoredWorkflow): string {
  if (!published) return text('workflowAuthoring.state.none');
  if (draft) return text('workflowAuthoring.state.draft');
  if (published.status === 'disabled') return text('workflowAuthoring.state.disabled');
  return text('workflowAuthoring.state.active');
}

/** Deprecates, disables, re-enables or removes a published workflow. */
export function StatusActions(props: StatusActionsProps) {
  const [refused, setRefused] = useState<string | null>(null);
  const change = useStatusDraft(props);
  const { published, draft } = props.workflow;
  const open = published !== null && draft === null;
  return (
    <section aria-label={text('workflowAuthoring.state.label')}>
      <h3 className="mb-1 text-base font-semibold">{text('workflowAuthoring.state.label')}</h3>
      <p className="text-sm text-muted">{statusText(props.workflow)}</p>
      {open && (
        <div className="mt-2 flex flex-wrap gap-2">
          {(steps[published.status] ?? []).map((to) => (
            <Button key={to} onClick={() => void change(to).then(setRefused)}>
              {text(`workflowAuthoring.state.step.${to}`)}
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
