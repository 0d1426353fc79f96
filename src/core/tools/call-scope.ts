import type { AppError } from '#shared/app-error';
import type { Capabilities } from '#shared/capabilities';
import type { Grant } from '#shared/grant';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { ToolDefinition } from '../ports/tool-definition';
import type { ServerStatus } from '../ports/server-status';
import type { Tools } from '../ports/tools';
import type { Approvals } from './approvals';
import type { WritePolicy } from './approval-batcher';
import type { ElicitationQueue } from './elicitation-queue';
import type { FactBuffer } from './fact-buffer';
import type { GateContext, RecordedApprovals } from './gate';
import type { NodeWrites } from './node-writes';
import type { TaintTracker } from './taint-tracker';
import type { RateMeter } from './rate-meter';
import type { ToolPins } from './pins';
import type { ReadCache } from './read-cache';
import type { SchemaCheck } from './schema-check';
import type { ToolLists } from '../ports/tool-lists';

/** On whose behalf calls are made: one node of one run, with what it may do and where its facts go. */
export interface CallScope {
  /** Whose standing answers hold; without a session only a no does. */
  readonly sessionId?: string | undefined;
  readonly turn: number;
  readonly runId: string;
  readonly nodeId: string;
  /** The node that asks for this one's writes, when it has one. */
  readonly asksAt?: string;
  /** Grows with each result the node is given. */
  readonly origins: TaintTracker;
  /** What earlier attempts of the node wrote, and were answered. */
  readonly writes: NodeWrites;
  /** The tools the node declares, by full name. */
  readonly declared: readonly string[];
  readonly capabilities: Capabilities;
  /** What the plan says that writes must keep to. */
  readonly constraints?: GateContext['constraints'];
  readonly lists: ToolLists;
  /** In a workflow: what was approved before the call, instead of a question at the call. */
  readonly recorded?: RecordedApprovals;
  readonly approve: WritePolicy;
  readonly callsAllowed: number;
  readonly callsLeftInRun: () => number;
  /** Called before each call is judged: attempts count, so a script that only collects refusals ends too. */
  readonly onAttempt: () => void;
  /** A call broke a budget: whoever runs the node ends it. */
  readonly onBreach: (error: AppError) => void;
  /** A person is being waited for; returns how to say that the wait is over. */
  readonly onWaiting: () => () => void;
  readonly facts: FactBuffer;
  /** Reads may be answered by what an equal one gave before, unless `fresh`; absent: every call is made. */
  readonly cache?: { readonly fresh: boolean; readonly onHit: () => void };
}

export interface ToolListing {
  readonly tools: readonly ToolDefinition[];
  readonly servers: readonly ServerStatus[];
}

export interface CallToolDeps {
  readonly tools: Tools;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly approvals: Approvals;
  readonly rates: RateMeter;
  readonly checkSchema: SchemaCheck;
  readonly cache?: ReadCache;
  readonly pins?: Pick<ToolPins, 'enforce'>;
  /** What servers ask the user: waiting for the answer is no time of the run. */
  readonly elicitations?: Pick<ElicitationQueue, 'watchWaiting'>;
  /** The user's standing answers as they are now, and the folder of those that always hold. */
  readonly savedPermissions?: { readonly project: string; readonly grants: () => readonly Grant[] };
}
