import { turnAt, type SessionState, type SessionSummary, type Turn } from '#shared/session-state';

/** Whether something is still being done for a turn. */
export function isBusy(turn: Turn): boolean {
  return (
    turn.reply?.status === 'streaming' || turn.run?.status === 'planning' || turn.run?.status === 'running'
  );
}

/** The turn being worked on, looked for among the newest ones (lines sent meanwhile wait behind it). */
export function busyTurn(session: SessionState | undefined): Turn | undefined {
  if (!session) return undefined;
  for (const block of session.blocks.slice(-2).reverse()) {
    const busy = block.findLast(isBusy);
    if (busy) return busy;
  }
  return undefined;
}

/** The newest turn, if any. */
export function lastTurn(session: SessionState | undefined): Turn | undefined {
  return session && turnAt(session, session.turnCount - 1);
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

/** The label of a time as people speak of days: by calendar day, not by hours passed. */
export function dayLabel(at: number, now: number): string {
  const today = startOfDay(now);
  if (at >= today) return 'Today';
  // Not `today - dayMs`: a day with a clock change is 23 or 25 hours long.
  if (at >= startOfDay(today - dayMs / 2)) return 'Yesterday';
  if (at >= startOfDay(today - 6.5 * dayMs)) return 'Previous 7 days';
  if (at >= startOfDay(today - 29.5 * dayMs)) return 'Previous 30 days';
  return 'Older';
}

const byNewest = (a: SessionSummary, b: SessionSummary) =>
  b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

/** The rail's list: newest first, in groups by day; archived sessions apart. */
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

/** The first sessions of the groups, as many as asked for; groups left empty are left out. */
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

/** Characters that make about one token in English prose and code; an estimate and shown as one. */
const charactersPerToken = 4;

const blockSizes = new WeakMap<readonly Turn[], number>();

function charactersOf(block: readonly Turn[]): number {
  const known = blockSizes.get(block);
  if (known !== undefined) return known;
  const size = block.reduce(
    (sum, turn) => sum + turn.text.length + (turn.reply?.text.length ?? 0) + (turn.run?.answer?.length ?? 0),
    0,
  );
  blockSizes.set(block, size);
  return size;
}

/** What the provider counted last, when that was one request that holds the whole conversation; else an estimate. */
export function conversationTokens(session: SessionState | undefined): number {
  const last = session?.blocks.at(-1)?.at(-1);
  const counted = last?.reply?.usage;
  if (counted?.modelTurns !== 1 || counted.inputTokens === 0) return estimateTokens(session);
  return counted.inputTokens + counted.outputTokens;
}

/** About how many tokens the conversation has grown to. Settled blocks are counted once, so it is cheap to ask. */
function estimateTokens(session: SessionState | undefined): number {
  if (!session) return 0;
  return Math.ceil(session.blocks.reduce((sum, block) => sum + charactersOf(block), 0) / charactersPerToken);
}
