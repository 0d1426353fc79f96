import type { SessionState, SessionSummary } from '#shared/session-state';

/** The session list's line for a fold. */
export function summaryOf(state: SessionState): SessionSummary {
  const { id, title, project, archived, createdAt, updatedAt, turnCount } = state;
  return { id, title, project, archived, createdAt, updatedAt, turnCount };
}
