import type { WorkspaceFinding } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { richText, text } from '../../locales/text';
import { ErrorCard } from '../../ui/error-card';
import { EmptyNote } from './empty-note';
import { shortHash } from './workspace-labels';

const shownFindings = 200;

function Finding({ level, file, field, reason }: WorkspaceFinding) {
  const bad = level === 'error';
  const Icon = bad ? CircleAlert : TriangleAlert;
  return (
    <li className="flex items-start gap-2.5 px-3 py-2">
      <Icon
        aria-label={text(bad ? 'workspace.findings.error' : 'workspace.findings.note')}
        size={15}
        className={`mt-0.5 shrink-0 ${bad ? 'text-danger-text' : 'text-copper-text'}`}
      />
      <div className="min-w-0">
        {(file !== '' || field !== '') && (
          <p className="readable font-mono text-xs text-muted wrap-anywhere">
            {file}
            {field !== '' && ` · ${field}`}
          </p>
        )}
        <p dir="auto" className="readable text-sm wrap-anywhere">
          {reason}
        </p>
      </div>
    </li>
  );
}

function FindingList({
  label,
  findings,
}: {
  readonly label: string;
  readonly findings: readonly WorkspaceFinding[];
}) {
  if (findings.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="numbers text-xs font-medium text-muted">
        {label} · {findings.length}
      </h3>
      <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line">
        {findings.slice(0, shownFindings).map((finding, at) => (
          <Finding key={`${at} ${finding.file} ${finding.field}`} {...finding} />
        ))}
      </ul>
      {findings.length > shownFindings && (
        <p className="numbers text-xs text-muted">
          {text('workspace.findings.more', { count: findings.length - shownFindings })}
        </p>
      )}
    </section>
  );
}

/** Why the last sync was refused, and warnings about the active snapshot: file, field, reason. */
export function FindingsTab({ view }: { readonly view: WorkspaceView }) {
  const { state, findings, contents } = view;
  const refused = state.sync?.status === 'rejected';
  const active = state.active ?? contents?.hash;
  const of = (level: WorkspaceFinding['level']) => findings.filter((finding) => finding.level === level);
  if (findings.length === 0 && !refused) {
    return (
      <EmptyNote icon={CircleCheck} title={text('workspace.findings.none')}>
        {text('workspace.findings.noneHint')}
      </EmptyNote>
    );
  }
  return (
    <div className="flex flex-col gap-5">
      {refused && (
        <ErrorCard
          title={text('workspace.findings.refused')}
          error={state.sync?.error ?? { kind: 'HOST', code: 'STATE', message: '', retryable: true }}
        >
          {active !== undefined && (
            <p className="mt-0.5 text-sm">
              {richText('workspace.findings.unchanged', {
                hash: <code className="font-mono text-xs">{shortHash(active)}</code>,
              })}
            </p>
          )}
        </ErrorCard>
      )}
      <FindingList label={text('workspace.findings.errors')} findings={of('error')} />
      <FindingList label={text('workspace.findings.notes')} findings={of('warning')} />
    </div>
  );
}
