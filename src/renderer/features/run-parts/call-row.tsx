import { visibleControls } from '#shared/direction-controls';
import { describeScope, describeBoundArguments } from '#shared/grant-labels';
import type { CallRecord } from '#shared/session-event';
import { ChevronRight } from 'lucide-react';
import { text } from '../../locales/text';
import { Attachments } from './attachments';
import { asksForSignIn, CallError } from './call-error';
import { formatBytes, formatSpan } from '../../ui/format';
import { shownStatus, StatusMark } from '../../ui/status-mark';

function Preview({ label, content }: { label: string; content: string }) {
  return (
    <div className="mt-1.5">
      <p className="text-xs text-muted">{label}</p>
      <pre
        tabIndex={0}
        aria-label={label}
        className="readable mt-0.5 max-h-56 overflow-auto rounded-md border border-line bg-code px-2.5 py-1.5 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {' '}
        {visibleControls(content)}{' '}
      </pre>
    </div>
  );
}

/** A tool call: its name, cost and outcome, with its arguments and result on demand. */
export function CallRow({ call }: { call: CallRecord }) {
  return (
    <details open={asksForSignIn(call)} className="group border-b border-line last:border-b-0">
      <summary className="flex cursor-default list-none items-center gap-2 px-2.5 py-1.5 text-sm hover:bg-hover focus-visible:-outline-offset-2">
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 shrink-0 text-muted group-open:rotate-(--quarter-turn)"
        />
        <StatusMark status={shownStatus(call.outcome, call.error)} bare />
        <span className="min-w-0 grow truncate font-mono text-xs">{call.tool}</span>
        {call.cached && <span className="shrink-0 text-xs text-muted">{text('runParts.call.cached')}</span>}
        {call.allowedBy && (
          <span className="shrink-0 text-xs text-copper-text">{text('runParts.call.allowedBefore')}</span>
        )}
        <span className="numbers shrink-0 text-xs text-muted">
          {formatSpan(call.ms)} · {formatBytes(call.bytes)}
        </span>
      </summary>
      <div className="px-2.5 pb-2.5">
        {call.allowedBy && (
          <p className="mt-1.5 text-xs wrap-anywhere">
            {text('runParts.call.allowedBy', {
              scope: describeScope(call.allowedBy),
              arguments: describeBoundArguments(call.allowedBy),
            })}
          </p>
        )}
        <Preview label={text('runParts.call.arguments')} content={call.argumentsPreview} />
        {call.preview !== undefined && (
          <Preview label={text('runParts.call.result')} content={call.preview} />
        )}
        {call.attachments && <Attachments attachments={call.attachments} />}
        {call.error && (
          <div className="mt-2">
            <CallError error={call.error} />
          </div>
        )}
      </div>
    </details>
  );
}
