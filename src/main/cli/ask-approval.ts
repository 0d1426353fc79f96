import type { SessionEvent } from '#shared/session-event';
import type { App } from '../app';
import type { Terminal } from './output';

type Requested = Extract<SessionEvent, { type: 'approval-requested' }>;

/** Puts the approvals of one run to whoever is at the other end of standard input. */
export interface ApprovalDesk {
  hear(events: readonly SessionEvent[]): void;
  /** Takes back questions that are still open: the run is over. */
  close(): void;
}

/** Each approval with its exact arguments, one question at a time; anything but yes is no, and so is the end of the input. */
export function createApprovalDesk(app: App, terminal: Terminal): ApprovalDesk {
  const closed = new AbortController();
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (event: Requested): Promise<void> => {
    if (closed.signal.aborted) return;
    terminal.log(`\n${event.tool} wants to make this change:\n${JSON.stringify(event.arguments, null, 2)}`);
    const answer = await terminal.readLine('Approve exactly this? [y/N] ', {
      signal: closed.signal,
      fresh: true,
    });
    if (closed.signal.aborted) return;
    const approved = /^y(es)?$/i.test(answer?.trim() ?? '');
    app.answerApproval(event.approvalId, event.hash, approved);
    terminal.log(approved ? 'Approved.' : 'Not approved.');
  };
  return {
    hear(events) {
      for (const event of events) {
        if (event.type === 'approval-requested') turn = turn.then(() => ask(event));
      }
    },
    close: () => closed.abort(),
  };
}
