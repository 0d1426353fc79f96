import { withoutDirectionControls } from '#shared/direction-controls';
import type { SessionEvent } from '#shared/session-event';
import { marksAfter, noMarks, usedAt } from '#shared/session-marks';
import type { SessionSummary } from '#shared/session-state';

export const emptySummary = (id: string): SessionSummary => ({
  id,
  title: '',
  project: null,
  archived: false,
  createdAt: 0,
  updatedAt: 0,
  turnCount: 0,
  marks: noMarks,
});

function change(summary: SessionSummary, event: SessionEvent): SessionSummary {
  switch (event.type) {
    case 'session-created':
      return {
        ...summary,
        title: withoutDirectionControls(event.title),
        project: event.project,
        createdAt: event.at,
      };
    case 'session-renamed':
      return { ...summary, title: withoutDirectionControls(event.title) };
    case 'session-archived':
      return { ...summary, archived: true };
    case 'session-restored':
      return { ...summary, archived: false };
    case 'project-chosen':
      return { ...summary, project: event.project };
    case 'message-sent':
      return { ...summary, turnCount: event.turn + 1 };
    default:
      return summary;
  }
}

/** Updates the session summary with more events: the same facts as the fold, without the conversation. */
export function summaryAfter(summary: SessionSummary, events: readonly SessionEvent[]): SessionSummary {
  return events.reduce(
    (before, event) => ({
      ...change(before, event),
      marks: marksAfter(before.marks, event),
      updatedAt: usedAt(before.updatedAt, event),
    }),
    summary,
  );
}
