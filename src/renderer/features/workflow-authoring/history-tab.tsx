import type { WorkflowHistoryEntry } from '#shared/workflow-panel';
import { richText, text } from '../../locales/text';
import { EntityName } from '../../ui/entity-name';
import { Difference } from './difference';
import { StatusActions, type StatusActionsProps } from './status-actions';
import { WorkflowStatusIcon } from './workflow-status-icon';

function Entry({ entry }: { readonly entry: WorkflowHistoryEntry }) {
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
  const { history } = workflow;
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
              <Entry key={history.length - at} entry={entry} />
            ))}
          </ol>
        )}
      </section>
    </div>
  );
}
