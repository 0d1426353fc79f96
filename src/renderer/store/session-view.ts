import type { ContextItem } from '#shared/context-item';
import type { settingRows, SettingValue } from '#shared/setting-rows';
import {
  turnsPerBlock,
  type RunState,
  type SessionState,
  type SessionSummary,
  type Turn,
  type TurnBlocks,
} from '#shared/session-state';
import { activePath, headTurn, pathBlocks } from '#shared/turn-tree';
import { readNext, summaryText, wasTooLong } from '#shared/read-path';
import { aboutTokens } from '#shared/text-tokens';
import { text } from '../locales/text';
import { folderName } from '../ui/folder-name';
import type { DraftItem } from './view-state';

/** The last turn of the active path. */
export function lastTurn(session: SessionState | undefined): Turn | undefined {
  return session && headTurn(session);
}

/**
 * Whether the outcome of a write is unknown: until the user confirms it, no action is offered that could
 * repeat the write.
 */
export function hasUnknownOutcome({ writes }: RunState): boolean {
  return writes.some(({ outcome }) => outcome === 'unknown');
}

/** Whether a command runs the plan of a turn: a repeated line goes through that command again. */
export const isCommandRun = ({ command, run }: Turn): boolean => command !== undefined && run !== undefined;

export interface SessionGroup {
  /** Tells groups apart; a label may not. */
  readonly key: string;
  readonly label: string;
  /** The whole path of a folder's group. */
  readonly path?: string;
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

export type SessionGrouping = SettingValue<(typeof settingRows)['sessionGroups']>;

type GroupPlace = Omit<SessionGroup, 'sessions'>;

/** The last folder of a path; with the one above it where another path ends the same. */
function folderLabel(path: string, all: ReadonlySet<string>): string {
  const name = folderName(path);
  const twin = [...all].some((other) => other !== path && folderName(other) === name);
  return twin ? path.split(/[\\/]/).filter(Boolean).slice(-2).join('/') : name;
}

/** Where each session is listed: pinned ones together, the others by day or by project folder. */
function groupPlaces(
  sessions: readonly SessionSummary[],
  now: number,
  grouping: SessionGrouping,
): (summary: SessionSummary) => GroupPlace {
  const folders = new Set(sessions.flatMap(({ project }) => project ?? []));
  return ({ marks, project, updatedAt }) => {
    if (marks.pinned) return { key: 'pinned', label: text('store.group.pinned') };
    if (grouping === 'folder') {
      if (project === null) return { key: 'no folder', label: text('store.group.noFolder') };
      return { key: `folder ${project}`, label: folderLabel(project, folders), path: project };
    }
    const label = dayLabel(updatedAt, now);
    return { key: label, label };
  };
}

/** The rail's list: pinned sessions, then groups with the newest first; archived sessions separate. */
export function groupSessions(
  summaries: Readonly<Record<string, SessionSummary>>,
  now: number,
  grouping: SessionGrouping = 'day',
): { readonly groups: readonly SessionGroup[]; readonly archived: readonly SessionSummary[] } {
  const sorted = Object.values(summaries).sort(byNewest);
  const listed = sorted.filter(({ archived }) => !archived);
  const placeOf = groupPlaces(listed, now, grouping);
  const groups = new Map<string, GroupPlace & { readonly sessions: SessionSummary[] }>();
  for (const summary of listed) {
    const place = placeOf(summary);
    const group = groups.get(place.key);
    if (group) group.sessions.push(summary);
    else groups.set(place.key, { ...place, sessions: [summary] });
  }
  const [pinnedGroup, others] = [
    groups.get('pinned'),
    [...groups.values()].filter(({ key }) => key !== 'pinned'),
  ];
  return {
    groups: pinnedGroup ? [pinnedGroup, ...others] : others,
    archived: sorted.filter(({ archived }) => archived),
  };
}

/** The first `count` sessions of the groups; empty groups are omitted. */
export function firstSessions(groups: readonly SessionGroup[], count: number): readonly SessionGroup[] {
  const first: SessionGroup[] = [];
  let left = count;
  for (const { sessions, ...place } of groups) {
    if (left <= 0) break;
    first.push({ ...place, sessions: sessions.slice(0, left) });
    left -= sessions.length;
  }
  return first;
}

const tokensOf = (items: readonly Pick<ContextItem, 'tokens'>[] = []): number =>
  items.reduce((sum, { tokens }) => sum + tokens, 0);

/** About how many tokens the items of the next line have that are read already. */
export const draftTokens = (items: readonly DraftItem[]): number =>
  tokensOf(items.flatMap((draft) => (draft.status === 'ready' ? [draft.item] : [])));

const answerOf = ({ reply, run }: Turn): string => reply?.text ?? run?.answer ?? '';

const turnTokens = (turn: Turn): number =>
  wasTooLong(turn) ? 0 : aboutTokens(turn.text) + tokensOf(turn.items) + aboutTokens(answerOf(turn));

/** What has been counted: turns and whole blocks of turns never change. */
const counted = new WeakMap<Turn | readonly Turn[], number>();

function countOnce<T extends Turn | readonly Turn[]>(counting: T, count: (counting: T) => number): number {
  const known = counted.get(counting);
  if (known !== undefined) return known;
  const tokens = count(counting);
  counted.set(counting, tokens);
  return tokens;
}

/**
 * The tokens of the turns of a path between two places. A long session has many more turns than blocks, and a number
 * kept for each turn would slow down every garbage collection.
 */
function tokensBetween(blocks: TurnBlocks, from: number, to: number): number {
  let sum = 0;
  for (let at = Math.floor(from / turnsPerBlock); at * turnsPerBlock < to; at += 1) {
    const [block, start] = [blocks[at] ?? [], at * turnsPerBlock];
    const isWhole = from <= start && start + turnsPerBlock <= to;
    const part = isWhole ? [] : block.slice(Math.max(0, from - start), to - start);
    sum += isWhole
      ? countOnce(block, (turns) => turns.reduce((tokens, turn) => tokens + turnTokens(turn), 0))
      : part.reduce((tokens, turn) => tokens + countOnce(turn, turnTokens), 0);
  }
  return sum;
}

/** Counts turns of a long session while it loads, so that its first picture need not. */
export const countBlocks = (blocks: TurnBlocks): void =>
  void tokensBetween(blocks, 0, blocks.length * turnsPerBlock);

/** The size of the request that a reply answered, with the reply: system message and tools included. */
function requestTokens({ reply }: Turn): number | undefined {
  const usage = reply?.usage;
  if (!usage || usage.modelTurns === 0 || usage.inputTokens === 0) return undefined;
  return Math.round(usage.inputTokens / usage.modelTurns) + usage.outputTokens;
}

/**
 * About how many tokens the next request has: the newest request that was counted, and what has been added since or is
 * covered by a summary now. While a reply streams, its text counts too.
 */
export function conversationTokens(session: SessionState | undefined): number {
  if (!session) return 0;
  const { compaction, covered } = readNext(session);
  const summary = compaction ? aboutTokens(summaryText(compaction, covered)) : 0;
  const path = activePath(session);
  const last = path.findLastIndex((turn) => requestTokens(turn) !== undefined);
  const newest = path[last];
  const size = newest && requestTokens(newest);
  const blocks = pathBlocks(session);
  const uncovered = tokensBetween(blocks, covered, path.length);
  if (!newest || size === undefined) return summary + uncovered;
  const current = !compaction || compaction.turns <= newest.turn;
  if (current) return size + tokensBetween(blocks, last + 1, path.length);
  const before = Math.max(0, size - tokensBetween(blocks, 0, last + 1));
  return before + summary + uncovered;
}
