import type { WorkflowHistoryEntry } from '#shared/workflow-panel';
import { RotateCcw } from 'lucide-react';
import { richText, text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { EntityName } from '../../ui/entity-name';
import { Difference } from './difference';
import { draftVersion } from './draft-copy';
import { StatusActions, type StatusActionsProps } from './status-actions';
import { WorkflowStatusIcon } from './workflow-status-icon';

interface EntryProps {
  readonly entry: WorkflowHistoryEntry;
  /** Drafts this version again; null where that would change nothing or a draft is in the way. */
  readonly onDraft: (() => void) | null;
}

function Entry({ entry, onDraft }: EntryProps) {
  const { what, version, by, at, reason, ddr, hunks } = entry;
  return (
    <li className="rounded-lg border border-line">
      <div className="px-3 py-2 text-sm">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="numbers font-mono font-medium">{version}</span>
          <WorkflowStatusIcon status={what} />
          <span className="numbers text-xs text-muted">
            {richText(at === '' ? 'workflowAuthoring.history.by' : 'workflowAuthoring.history.byOn', {
              name: () => <EntityName text={by} />,
              date: () => <EntityName text={at.replace('T', ' ')} />,
            })}
            , {text('workflowAuthoring.history.under', { record: ddr })}
          </span>
          {onDraft && (
            <Button
              tone="quiet"
              className="ms-auto h-7 px-2"
              aria-label={text('workflowAuthoring.history.restoreVersion', { version })}
              onClick={onDraft}
            >
              <RotateCcw aria-hidden size={14} /> {text('workflowAuthoring.history.restore')}
            </Button>
          )}
        </p>
        <p dir="auto" className="mt-0.5 text-muted wrap-anywhere">
          {reason}
        </p>
      </div>
      {hunks.length > 0 && (
        <details className="border-t border-line">
          <summary className="cursor-pointer px-3 py-1.5 text-xs text-muted">
            {text('workflowAuthoring.history.changed')}
          </summary>
          <Difference hunks={hunks} />
        </details>
      )}
    </li>
  );
}

/** The workflow's status, and all its versions. */
export function HistoryTab({ workflow, reload, onChange }: StatusActionsProps) {
  const { history, draft, published } = workflow;
  const { commands, view } = useApp();
  const current = history.findIndex(({ version }) => version === published?.version);
  const restore = async ({ version, fields }: WorkflowHistoryEntry) => {
    const refused = await draftVersion(commands, workflow, fields);
    view.toast(refused ?? text('workflowAuthoring.history.restored', { version }));
    await reload(refused === null ? onChange : undefined);
  };
  return (
    <div className="flex max-w-3xl flex-col gap-5">
      <StatusActions workflow={workflow} reload={reload} onChange={onChange} />
      <section aria-label={text('workflowAuthoring.history.versions')}>
        <h3 className="mb-2 text-base font-semibold">{text('workflowAuthoring.history.versions')}</h3>
        {history.length === 0 ? (
          <p className="text-sm text-muted">{text('workflowAuthoring.history.none')}</p>
        ) : (
          <ol className="flex flex-col gap-2">
            {history.map((entry, at) => (
              <Entry
                key={history.length - at}
                entry={entry}
                onDraft={draft !== null || at === current ? null : () => void restore(entry)}
              />
            ))}
          </ol>
        )}
      </section>
    </div>
  );
}
