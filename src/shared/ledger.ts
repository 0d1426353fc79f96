import { canonicalJson, isObject, type Json, type JsonObject } from './json';
import type { UndoObstacle, Undoable } from './undo';
import type { RefusedWrite, RunState, WriteState } from './session-state';

/** Outcome of a run's write. `unknown`: it was announced, but its outcome was not observed. */
export type LedgerOutcome = 'made' | 'refused' | 'failed' | 'unknown';

/** One write of a run, as the host recorded it. */
export interface LedgerEntry {
  readonly callId: string;
  readonly nodeId: string;
  readonly tool: string;
  /** The subject of the write, derived from its arguments. */
  readonly target: string;
  readonly outcome: LedgerOutcome;
  /** A later call made this write, its step was rerun, or the user said what to do instead: it no longer counts. */
  readonly superseded?: true;
  /** The layer of the gate that refused it. */
  readonly layer?: string;
  /** Why it was refused or failed: `KIND/CODE`. */
  readonly code?: string;
  /** Whether the user can undo it; a write that was not made cannot be undone. */
  readonly undo: Undoable;
  /** Why a write that was made cannot be undone. */
  readonly obstacle?: UndoObstacle;
}

/** The recorded writes and refusals of a run. */
export type WriteRecords = Pick<RunState, 'writes' | 'refusals'>;

/** Longer targets are truncated; a truncated target never counts as equal to another one. */
const maxTargetLength = 1_000;

const pairs = [
  ['source', 'destination'],
  ['from', 'to'],
  ['old_path', 'new_path'],
  ['oldPath', 'newPath'],
] as const;
const places = [
  ...['path', 'file', 'file_path', 'filePath', 'filename', 'fileName', 'paths', 'files'],
  ...['directory', 'folder', 'dir', 'uri', 'url'],
];
const qualifiers = [
  ...['owner', 'repo', 'repository', 'project', 'branch', 'database', 'table', 'collection', 'bucket'],
  ...['channel', 'calendar', 'key', 'number'],
];
const names = ['name', 'title', 'to', 'email', 'recipient', 'subject'];
const identifierName = /(^id$)|(_id$)|([a-z]I[dD]$)/;

const tidy = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/^(\.\/)+(?=.)/, '')
    .trim();

/** A short value as text; null when it identifies nothing. */
function words(value: Json | undefined): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return tidy(value) || null;
  if (!Array.isArray(value) || value.length === 0) return null;
  const each = value.map((one: Json) => words(one));
  return each.every((one) => one !== null) ? each.join(', ') : null;
}

const own = (args: JsonObject, name: string): string | null =>
  Object.hasOwn(args, name) ? words(args[name]) : null;

function moved(args: JsonObject): string | null {
  for (const [from, to] of pairs) {
    const [before, after] = [own(args, from), own(args, to)];
    if (before !== null && after !== null) return `${before} → ${after}`;
  }
  return null;
}

/** All arguments that identify the subject, locations first. */
function identifying(args: JsonObject): readonly (readonly [name: string, value: string])[] {
  const ids = Object.keys(args)
    .filter((name) => identifierName.test(name))
    .sort();
  return [...places, ...ids, ...qualifiers].flatMap((name) => {
    const value = own(args, name);
    return value === null ? [] : [[name, value] as const];
  });
}

/**
 * The subject of a write: paths and ids among its arguments, else a name, else all arguments. Independent of
 * argument order. Pure.
 */
export function writeTarget(args: Json): string {
  const text = isObject(args) ? targetOf(args) : canonicalJson(args);
  return text.length <= maxTargetLength ? text : `${text.slice(0, maxTargetLength)}…`;
}

function targetOf(args: JsonObject): string {
  const found = identifying(args);
  const pair = moved(args);
  const all = pair === null ? found : [['', pair] as const, ...found];
  const [first, ...rest] = all;
  if (first) {
    const bare = places.includes(first[0]) || first[0] === '' || rest.length === 0;
    const head = bare ? first[1] : `${first[0]} ${first[1]}`;
    return [head, ...rest.map(([name, value]) => `${name} ${value}`)].join(', ');
  }
  const name = names.map((one) => own(args, one)).find((value) => value !== null);
  return name ?? (Object.keys(args).length === 0 ? '' : tidy(canonicalJson(args)));
}

const outcomes = { intended: 'unknown', done: 'made', failed: 'failed', unknown: 'unknown' } as const;

/**
 * Whether a write can be undone now. A write that the user reported as made has no observed result; all but an
 * edit have the one that their arguments say.
 */
export function undoOfWrite({
  outcome,
  tool,
  undo,
  after,
  undone,
}: WriteState): Pick<LedgerEntry, 'undo' | 'obstacle'> {
  if (undone?.status === 'done') return { undo: 'done' };
  if (outcome !== 'done' || !undo) return { undo: 'impossible' };
  if ('impossible' in undo) return { undo: 'impossible', obstacle: undo.impossible };
  const unobserved = !after && tool.endsWith('.edit_file');
  return unobserved ? { undo: 'impossible', obstacle: 'unobserved' } : { undo: 'possible' };
}

function writeEntry(write: WriteState): LedgerEntry {
  const { callId, nodeId, tool, arguments: args, outcome, code, superseded } = write;
  return {
    callId,
    nodeId,
    tool,
    target: writeTarget(args),
    outcome: outcomes[outcome],
    ...(superseded && { superseded }),
    ...(code !== undefined && { code }),
    ...undoOfWrite(write),
  };
}

/** A refusal that the user answered with other words counts as dealt with. */
function refusedEntry({ after: _after, hash: _hash, answered, ...refusal }: RefusedWrite): LedgerEntry {
  return { ...refusal, outcome: 'refused', undo: 'impossible', ...(answered && { superseded: true }) };
}

/** An entry, with the keys by which a later write can be recognised as this one. */
interface RecordedEntry {
  readonly entry: LedgerEntry;
  /** Keys under which the write was made; empty when it was not. */
  readonly madeAs: readonly string[];
  /** The key under which a later write supersedes it; null: none does. */
  readonly supersededBy: string | null;
}

const callKey = (hash: string): string => `call\n${hash}`;

const targetKey = ({ tool, target }: LedgerEntry): string | null =>
  target.endsWith('…') ? null : `target\n${tool}\n${target}`;

function recordedWrite(write: WriteState): RecordedEntry {
  const entry = writeEntry(write);
  const target = targetKey(entry);
  const keys = target === null ? [callKey(write.hash)] : [callKey(write.hash), target];
  return {
    entry,
    madeAs: entry.outcome === 'made' ? keys : [],
    supersededBy: entry.outcome === 'failed' ? target : null,
  };
}

/** Approval is refused to a call with its arguments: another call to the same target is another question. */
function recordedRefusal(refusal: RefusedWrite): RecordedEntry {
  const entry = refusedEntry(refusal);
  const { layer, hash } = refusal;
  const supersededBy = layer === 'approval' && hash !== undefined ? callKey(hash) : targetKey(entry);
  return { entry, madeAs: [], supersededBy };
}

/** Recorded writes and refusals, merged in order. */
function recorded({ writes, refusals = [] }: WriteRecords): readonly RecordedEntry[] {
  const placed = [
    ...refusals.map((refusal) => ({ place: refusal.after, one: recordedRefusal(refusal) })),
    ...writes.map((write, at) => ({ place: at + 0.5, one: recordedWrite(write) })),
  ];
  return placed.sort((a, b) => a.place - b.place).map(({ one }) => one);
}

/**
 * The writes of a run in request order. A later write that was made supersedes a failed or refused one of the same
 * tool to the same target; a refused approval only if its arguments are equal. A write still in progress counts as
 * unknown. Pure.
 */
export function ledgerOf(records: WriteRecords): readonly LedgerEntry[] {
  const madeLater = new Set<string>();
  return recorded(records)
    .toReversed()
    .map(({ entry, madeAs, supersededBy }): LedgerEntry => {
      for (const key of madeAs) madeLater.add(key);
      const overtaken = supersededBy !== null && madeLater.has(supersededBy);
      return overtaken ? { ...entry, superseded: true } : entry;
    })
    .toReversed();
}

/** The writes that prevent a run from being done. */
export function openWrites(ledger: readonly LedgerEntry[]): readonly LedgerEntry[] {
  return ledger.filter(({ outcome, superseded }) => outcome !== 'made' && !superseded);
}

const outcomeOrder = ['made', 'refused', 'failed', 'unknown'] as const;

/** Summarizes outcomes, as in `3 writes: 2 made, 1 refused`; superseded writes are not counted. */
export function describeLedger(ledger: readonly Pick<LedgerEntry, 'outcome' | 'superseded'>[]): string {
  const counted = ledger.filter(({ superseded }) => !superseded);
  const parts = outcomeOrder.flatMap((outcome) => {
    const count = counted.filter((entry) => entry.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  const total = `${counted.length} ${counted.length === 1 ? 'write' : 'writes'}`;
  return parts.length === 0 ? total : `${total}: ${parts.join(', ')}`;
}

/** Display name of a write's tool: `filesystem.write_file`. */
export const toolLabel = (tool: string): string => tool.replace(/^mcp:\/\//, '');
