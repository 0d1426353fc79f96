import { type SessionState, type SessionSummary, type Turn } from '#shared/session-state';
import { activePath, headTurn } from '#shared/turn-tree';
import { text } from '../locales/text';

/** The last turn of the active path. */
export function lastTurn(session: SessionState | undefined): Turn | undefined {
  return session && headTurn(session);
}

export interface SessionGroup {
  readonly label: string;
  readonly sessions: readonly SessionSummary[];
}

const dayMs = 86_400_000;

function startOfDay(at: number): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/** The label of a time by calendar day, not by hours elapsed. */
export function dayLabel(at: number, now: number): string {
  const today = startOfDay(now);
  if (at >= today) return text('store.day.today');
  // Not `today - dayMs`: a day with a clock change is 23 or 25 hours long.
  if (at >= startOfDay(today - dayMs / 2)) return text('store.day.yesterday');
  if (at >= startOfDay(today - 6.5 * dayMs)) return text('store.day.week');
  if (at >= startOfDay(today - 29.5 * dayMs)) return text('store.day.month');
  return text('store.day.older');
}

const byNewest = (a: SessionSummary, b: SessionSummary) =>
  b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

/** The rail's list: newest first, grouped by day, with archived sessions separate. */
export function groupSessions(
  summaries: Readonly<Record<string, SessionSummary>>,
  now: number,
): { readonly groups: readonly SessionGroup[]; readonly archived: readonly SessionSummary[] } {
  const sorted = Object.values(summaries).sort(byNewest);
  const groups: { label: string; sessions: SessionSummary[] }[] = [];
  for (const summary of sorted) {
    if (summary.archived) continue;
    const label = dayLabel(summary.updatedAt, now);
    const last = groups.at(-1);
    if (last?.label === label) last.sessions.push(summary);
    else groups.push({ label, sessions: [summary] });
  }
  return { groups, archived: sorted.filter(({ archived }) => archived) };
}

/** The first `count` sessions of the groups; empty groups are omitted. */
export function firstSessions(groups: readonly SessionGroup[], count: number): readonly SessionGroup[] {
  const first: SessionGroup[] = [];
  let left = count;
  for (const { label, sessions } of groups) {
    if (left <= 0) break;
    first.push({ label, sessions: sessions.slice(0, left) });
    left -= sessions.length;
  }
  return first;
}

/** Average characters per token in English prose and code; an estimate, displayed as one. */
const charactersPerToken = 4;

const charactersOf = ({ text, reply, run }: Turn): number =>
  text.length + (reply?.text.length ?? 0) + (run?.answer?.length ?? 0);

/** The provider's last token count if one request contained the whole conversation, otherwise an estimate. */
export function conversationTokens(session: SessionState | undefined): number {
  const last = lastTurn(session);
  const counted = last?.reply?.usage;
  if (counted?.modelTurns !== 1 || counted.inputTokens === 0) return estimateTokens(session);
  return counted.inputTokens + counted.outputTokens;
}

/** Estimates the tokens of the conversation that the next line continues. */
function estimateTokens(session: SessionState | undefined): number {
  if (!session) return 0;
  const characters = activePath(session).reduce((sum, turn) => sum + charactersOf(turn), 0);
  return Math.ceil(characters / charactersPerToken);
}
