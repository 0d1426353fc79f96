import type { SessionState, SessionSummary } from '#shared/session-state';

/** The session list entry for a state. */
export function summaryOf(state: SessionState): SessionSummary {
  const { id, title, project, archived, createdAt, updatedAt, turnCount } = state;
  return { id, title, project, archived, createdAt, updatedAt, turnCount };
}
