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

/** The scope of calls: one node of one run, with its permissions and the buffer for its facts. */
export interface CallScope {
  /** The session whose saved permissions apply; without a session only `never` applies. */
  readonly sessionId?: string | undefined;
  readonly turn: number;
  readonly runId: string;
  readonly nodeId: string;
  /** The node that asks for approval of this node's writes, if there is one. */
  readonly asksAt?: string;
  /** Grows with each tool result that the node receives. */
  readonly origins: TaintTracker;
  /** Completed writes and approval answers of earlier attempts of the node. */
  readonly writes: NodeWrites;
  /** The tools the node declares, by full name. */
  readonly declared: readonly string[];
  readonly capabilities: Capabilities;
  /** The plan's constraints on writes. */
  readonly constraints?: GateContext['constraints'];
  readonly lists: ToolLists;
  /** In a workflow: approvals recorded before the call, which replace the question at the call. */
  readonly recorded?: RecordedApprovals;
  readonly approve: WritePolicy;
  readonly callsAllowed: number;
  readonly callsLeftInRun: () => number;
  /** Called before each call is judged: attempts count, so a script that only collects refusals also ends. */
  readonly onAttempt: () => void;
  /** Called when a call exceeds a budget; the code that runs the node then ends it. */
  readonly onBreach: (error: AppError) => void;
  /** Called when a wait for a person begins; returns a function that ends the wait. */
  readonly onWaiting: () => () => void;
  readonly facts: FactBuffer;
  /** Reads may return cached results unless `fresh` is set; absent: every call is made. */
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
  /** Questions from servers to the user: waiting for an answer does not count as run time. */
  readonly elicitations?: Pick<ElicitationQueue, 'watchWaiting'>;
  /** The user's current saved permissions, and the project folder that the `always` ones must match. */
  readonly savedPermissions?: { readonly project: string; readonly grants: () => readonly Grant[] };
}
