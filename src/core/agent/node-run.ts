import type { AppError } from '#shared/app-error';
import type { Budgets } from '#shared/budgets';
import type { Capabilities } from '#shared/capabilities';
import type { TaintSource } from '#shared/approval';
import type { Artifact } from '#shared/execution';
import type { NodeMetrics } from '#shared/node-metrics';
import type { JsonObject } from '#shared/json';
import type { Usage } from '#shared/model';
import type { PlanNode } from '#shared/plan';
import type { EnforcedConstraint } from '#shared/plan-constraint';
import type { ItemCount, NodeEndStatus } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { ModelClient } from '../ports/llm';
import type { LabelledArtifactStore, SandboxEngine } from '../ports/sandbox';
import type { TextCache } from '../ports/text-cache';
import type { NameIndex } from '../tools/name-index';
import type { ApprovalCards } from '../tools/approval-cards';
import type { Approvals } from '../tools/approvals';
import type { ToolCalls } from '../tools/call-tool';
import type { ToolListing } from '../tools/call-scope';
import type { DataFlows } from '../tools/data-flows';
import type { FactBuffer } from '../tools/fact-buffer';
import type { RunWrites } from '../tools/node-writes';
import type { SchemaCheck } from '../tools/schema-check';
import type { AgentRequest } from '../ports/agent';
import type { TokenTally } from './receipt';
import type { PlanReviews } from './plan-reviews';
import type { RunLedger } from './run-ledger';
import type { RunLifecycle, StageCancel } from './run-lifecycle';
import type { RunMeter } from './run-meter';

/** The context shared by all nodes of a run; built once, after the plan is known. */
export interface RunContext {
  readonly request: AgentRequest;
  readonly runId: string;
  readonly stage: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly models: ModelClient;
  readonly nodeReplies: TextCache;
  readonly sandbox: SandboxEngine;
  readonly artifacts: LabelledArtifactStore;
  readonly toolCalls: ToolCalls;
  readonly approvals: Approvals;
  /** The cards on which the steps of the run ask together. */
  readonly cards: ApprovalCards;
  readonly reviews: PlanReviews;
  readonly checkSchema: SchemaCheck;
  readonly facts: FactBuffer;
  readonly life: RunLifecycle;
  readonly stageCancel: StageCancel;
  readonly meter: RunMeter;
  readonly tokenTally: TokenTally | null;
  readonly budgets: Budgets;
  readonly capabilities: Capabilities;
  readonly listing: ToolListing;
  readonly writes: RunWrites;
  /** What the tools of the run have returned, and the flows between servers that the user allowed. */
  readonly flows: DataFlows;
  readonly ledger: RunLedger;
  /** What the run's reads called the things that its writes name by id. */
  readonly names: NameIndex;
  /** Estimates the tokens of a text. */
  readonly countTokens: (text: string) => Promise<number>;
}

/** The outcome of a node. */
export interface NodeOutcome {
  readonly id: string;
  readonly status: NodeEndStatus;
  readonly summary: string;
  readonly state?: JsonObject;
  readonly artifacts?: readonly Artifact[];
  readonly metrics?: NodeMetrics;
  /** Model turns and tokens of this node alone. */
  readonly usage?: Usage;
  readonly log?: readonly string[];
  readonly error?: AppError;
  /** In a step that runs once for each item: how many items there were, and how many failed. */
  readonly items?: ItemCount;
  /** The number of attempts, if more than one. */
  readonly attempts?: number;
  readonly cached: boolean;
  /** The tools whose results may be part of the node's output. */
  readonly origins?: readonly TaintSource[];
}

/** A node with its inputs: the states of its dependencies by id. */
export interface NodeTask {
  readonly node: PlanNode;
  /** The place of the node in its plan. */
  readonly place: number;
  readonly inputs: JsonObject;
  readonly tools: readonly string[];
  /** Model tokens used by earlier attempts. */
  readonly usedTokens?: number;
  /** The plan's constraints on writes. */
  readonly constraints?: readonly EnforcedConstraint[];
  /** The taint sources of the inputs. */
  readonly origins: readonly TaintSource[];
  /** The sources that the planner had seen when it wrote the node. */
  readonly shown: readonly TaintSource[];
  /** The approval node for this node's writes. */
  readonly asksAt?: string;
}

export function failed(id: string, error: AppError, more: Partial<NodeOutcome> = {}): NodeOutcome {
  return {
    ...more,
    id,
    status: 'failed',
    summary: error.message,
    error: { ...error, node: id },
    cached: false,
  };
}

export function cancelledNode(id: string): NodeOutcome {
  return { id, status: 'cancelled', summary: 'Cancelled.', cached: false };
}
