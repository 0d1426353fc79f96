import type { CallRecord } from '#shared/session-event';
import { ChevronRight } from 'lucide-react';
import { text } from '../../locales/text';
import { CallRow } from '../run-parts/call-row';

const toolText: Readonly<Record<string, string>> = {
  agent_list_modes: text('message.calls.listModes'),
  agent_change_mode: text('message.calls.changeMode'),
  agent_run_command: text('message.calls.runCommand'),
  agent_ddr_manager: text('message.calls.ddrs'),
  agent_workflow_registry: text('message.calls.workflows'),
  request_user_approval: text('message.calls.approval'),
};

const shownCalls = 100;

function headline(calls: readonly CallRecord[]): string {
  const named = [
    ...new Set(calls.map(({ tool }) => toolText[tool] ?? text('message.calls.called', { tool }))),
  ];
  const shown = named.slice(0, 3).join(', ').slice(0, 200);
  const failed = calls.filter(({ outcome }) => outcome === 'failed').length;
  const all =
    named.length > 3 ? text('message.calls.moreTools', { calls: shown, count: named.length - 3 }) : shown;
  return failed > 0 ? text('message.calls.withFailed', { calls: all, count: failed }) : all;
}

/** Tool calls of a reply, one after the other: one muted line, with the calls on demand. */
export function ReplyCalls({ calls }: { readonly calls: readonly CallRecord[] }) {
  const shown = calls.slice(-shownCalls);
  return (
    <details className="group/calls">
      <summary className="-ms-1.5 flex min-h-6 w-fit max-w-full cursor-default list-none items-center gap-1.5 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-text">
        <ChevronRight
          aria-hidden
          className="size-3.5 shrink-0 group-open/calls:rotate-90 rtl:-scale-x-100 rtl:group-open/calls:rotate-90"
        />
        <span className="min-w-0 wrap-anywhere">{headline(calls)}</span>
      </summary>
      <div className="mt-1 overflow-hidden rounded-lg border border-line">
        {shown.map((call) => (
          <CallRow key={call.callId} call={call} />
        ))}
      </div>
    </details>
  );
}
