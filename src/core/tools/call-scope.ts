import type { AppError } from '#shared/app-error';
import { Capabilities } from '#shared/capabilities';
import type { ChangeCause } from '#shared/work-context';
import type { TaintSource } from '#shared/approval';
import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { ServerStatus } from '../ports/server-status';
import type { ToolDefinition } from '../ports/tool-definition';
import type { ToolLists } from '../ports/tool-lists';
import { createApprovalBatcher, createApprovals, type ApprovalBatcher, type WritePolicy } from './approvals';
import type { DataFlows } from './data-flows';
import { createFactBuffer, type FactBuffer } from './fact-buffer';
import type { GateContext, RecordedApprovals } from './gate';
import type { NameIndex } from './name-index';
import { createRunWrites, type NodeWrites } from './node-writes';
import { createTaintTracker, type TaintTracker } from './taint-tracker';

/** The tools of servers, and the status of each server; a status says why a server has no tools. */
export interface ToolListing {
  readonly tools: readonly ToolDefinition[];
  readonly servers: readonly ServerStatus[];
}

/** Records the calls of server tools: each fact names the run and the node that called. */
export interface CallRecorder {
  readonly turn: number;
  readonly runId: string;
  readonly stage?: number;
  readonly nodeId: string;
  /** The node that asks for approval of this node's writes, if there is one. */
  readonly asksAt?: string;
  readonly facts: FactBuffer;
  /** Grows with each tool result that the caller receives. */
  readonly origins: TaintTracker;
  /** What the run's tools have returned; absent: calls between servers are not asked about. */
  readonly flows?: DataFlows;
  /** The sources that the planner had seen when it wrote the node. */
  readonly shown?: readonly TaintSource[];
  /** Completed writes and approval answers of earlier attempts of the node. */
  readonly writes: NodeWrites;
  /** Names from the reads of the run, for its cards. */
  readonly names?: NameIndex;
}

/** The calls that a caller may still make; absent in a scope: one call. */
interface CallBudget {
  readonly callsLeft: () => { readonly inNode: number; readonly inRun: number };
  /** Called before each call is judged: attempts count, so a script that only collects refusals also ends. */
  readonly onAttempt: () => void;
  /** Called when a call exceeds a budget; the code that runs the node then ends it. */
  readonly onBreach: (error: AppError) => void;
  /** Called when a wait for a person begins; returns a function that ends the wait. */
  readonly onWaiting: () => () => void;
  /** Waits until one more call may run at the same time; returns a function that frees the slot. */
  readonly acquireSlot: () => Promise<() => void>;
}

/**
 * Who asks for a call, and which tools, lists, approvals, budget and recorder apply to it. A plain value that
 * each kind of caller builds once.
 */
export interface CallScope {
  readonly actor: 'user' | 'model' | 'script';
  /** The session whose saved permissions apply; without a session only `never` applies. */
  readonly sessionId: string | null;
  readonly turn: number | null;
  /** The project folder whose servers the scope reaches; null: only built-in tools. */
  readonly project: string | null;
  /** The server tools of the scope by name; absent: the built-in tools that its actor may call. */
  readonly tools?: ReadonlyMap<string, ToolDefinition>;
  /** The tools the calling step declares, by full name; absent: any. */
  readonly declared?: readonly string[];
  readonly lists: ToolLists;
  readonly capabilities: Capabilities;
  /** The plan's constraints on writes. */
  readonly constraints?: GateContext['constraints'];
  /** Approvals recorded before the call, which replace the question at the call. */
  readonly recorded?: RecordedApprovals;
  /** How questions about writes are answered. */
  readonly approve: WritePolicy;
  /** Asks those questions for server tools; a built-in tool asks itself. */
  readonly approvals?: ApprovalBatcher;
  readonly recorder?: CallRecorder;
  readonly budget?: CallBudget;
  /** Reads may return cached results unless `fresh` is set; absent: every call is made. */
  readonly cache?: { readonly bypass: boolean; readonly onHit: () => void };
  /** The recorded cause of a change that a built-in tool makes; absent: the call itself is the cause. */
  readonly cause?: ChangeCause;
}

/** Server tools by name, in the form that a scope takes them. */
export const toolsByName = ({ tools }: Pick<ToolListing, 'tools'>): ReadonlyMap<string, ToolDefinition> =>
  new Map(tools.map((tool) => [tool.uri, tool]));

const noCapabilities = Capabilities.parse({ allow: [] });

/** A user's own command: no list binds it, and it counts as approved. */
export function commandScope(
  sessionId: string | null = null,
  turn: number | null = null,
  cause?: ChangeCause,
): CallScope {
  const bound = { lists: {}, capabilities: noCapabilities, project: null };
  return { actor: 'user', sessionId, turn, ...bound, approve: 'ask', ...(cause && { cause }) };
}

/** A model's call of a built-in tool; in a workflow with the approvals that were recorded before it. */
export function builtInScope(call: {
  readonly sessionId: string | null;
  readonly turn: number | null;
  readonly lists: ToolLists;
  readonly approve?: WritePolicy | undefined;
  readonly recorded?: RecordedApprovals | undefined;
}): CallScope {
  const { sessionId, turn, lists, approve = 'ask', recorded } = call;
  const none = { capabilities: noCapabilities, project: null };
  return { actor: 'model', sessionId, turn, lists, approve, ...none, ...(recorded && { recorded }) };
}

/** A model's call of a server tool outside a run: in Ask, or as a step of a workflow. */
export function modelScope(
  call: Pick<CallScope, 'lists' | 'capabilities'> & {
    readonly turn: number;
    readonly project: string;
    readonly listing: ToolListing;
    readonly tool: string;
    readonly recorded: RecordedApprovals;
    /** The run and the node that the facts name. */
    readonly runId: string;
    readonly nodeId: string;
    readonly facts: FactBuffer;
  },
): CallScope {
  const { listing, tool, runId, nodeId, facts, ...bound } = call;
  return {
    ...bound,
    actor: 'model',
    // Saved permissions of the session never allow a write here: each needs its own approval.
    sessionId: null,
    tools: toolsByName(listing),
    declared: [tool],
    approve: 'none',
    recorder: {
      turn: call.turn,
      runId,
      nodeId,
      // A read is recorded with the reply, like every call of a built-in tool; the intent of a write is
      // recorded before the write.
      facts: { ...facts, add: () => undefined },
      origins: createTaintTracker([]),
      writes: createRunWrites().attempt(nodeId),
    },
  };
}

/** Calls outside any session, such as those of `patina exec`: nobody can be asked, and nothing is recorded. */
export function unitScope(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  unit: Pick<CallScope, 'capabilities'> & {
    readonly project: string;
    readonly listing: ToolListing;
    readonly declared: readonly string[];
    readonly approve: 'all' | 'none';
    readonly callsAllowed: number;
  },
): CallScope {
  const { listing, callsAllowed, ...bound } = unit;
  const unrecorded: (facts: readonly SessionFact[]) => boolean = () => true;
  const facts = createFactBuffer(clock, unrecorded, () => undefined);
  const onWaiting = () => () => undefined;
  const approvals = createApprovals();
  let attempts = 0;
  return {
    ...bound,
    actor: 'script',
    sessionId: null,
    turn: 0,
    tools: toolsByName(listing),
    lists: {},
    approvals: createApprovalBatcher({ clock, ids, approvals, approve: unit.approve, facts, onWaiting }),
    recorder: {
      turn: 0,
      runId: 'exec',
      nodeId: 'unit',
      facts,
      origins: createTaintTracker([]),
      writes: createRunWrites().attempt('unit'),
    },
    budget: {
      callsLeft: () => ({ inNode: callsAllowed - attempts, inRun: callsAllowed }),
      onAttempt: () => void (attempts += 1),
      onBreach: () => undefined,
      onWaiting,
      acquireSlot: createSlots(),
    },
  };
}

/** Maximum number of concurrent server calls of one node; further calls wait in a queue. */
const maxConcurrentCalls = 32;

/** Admits at most `limit` holders at a time; the others wait in order. */
export function createSlots(limit = maxConcurrentCalls): CallBudget['acquireSlot'] {
  let free = limit;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return release;
  };
}
