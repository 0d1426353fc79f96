import type { AppError } from '#shared/app-error';
import type { Budgets } from '#shared/budgets';
import { Capabilities } from '#shared/capabilities';
import type { Grant } from '#shared/grant';
import type { ModelPrice } from '#shared/model';
import type { Recipe } from '#shared/recipe';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { AgentRequest } from '../core/ports/agent';
import { createAgent, type AgentDeps } from '../core/agent/create-agent';
import { createEarlierPlans } from '../core/agent/earlier-plans';
import { createObservedTypes } from '../core/agent/observed-types';
import { createRecipes } from '../core/agent/recipes';
import { sessionlessDefaults } from '../core/session/turn-steps';
import type { ModelClient, ModelEvent, ModelRequest } from '../core/ports/llm';
import type { LabelledArtifactStore, SandboxEngine } from '../core/ports/sandbox';
import type { TextCache } from '../core/ports/text-cache';
import { createApprovals } from '../core/tools/approvals';
import { createToolCalls } from '../core/tools/call-tool';
import type { ReadFile } from '../core/tools/file-change';
import type { ReadCache } from '../core/tools/read-cache';
import { createSchemaCheck } from '../core/tools/schema-check';
import type { createInMemoryTools } from './in-memory-tools';
import { createMemoryArtifacts } from './in-process-sandbox';
import { createManualClock } from './manual-clock';
import { createMemoryTexts } from './memory-texts';
import { createTrustingSandbox } from './trusting-sandbox';

type Reply = Iterable<ModelEvent> | AsyncIterable<ModelEvent>;

export interface AgentHarnessOptions {
  readonly tools: ReturnType<typeof createInMemoryTools>;
  readonly recipes?: readonly Recipe[];
  readonly capabilities?: object;
  /** Replaces what a policy file says. */
  readonly policy?: Partial<AgentDeps['policy']>;
  readonly budgets?: { readonly node?: Partial<Budgets['node']>; readonly run?: Partial<Budgets['run']> };
  /** The events of each model call, in order. */
  readonly replies?: readonly Reply[];
  /** Why the model makes no plans. */
  readonly planRefusal?: AppError;
  /** The price of every model; by default unknown. */
  readonly price?: ModelPrice;
  /** A real client instead of `replies`. */
  readonly models?: ModelClient;
  /** Results cached from earlier runs. */
  readonly texts?: TextCache;
  /** By default, scripts run without isolation in this process. */
  readonly sandbox?: SandboxEngine;
  /** By default, an in-memory store. */
  readonly artifacts?: LabelledArtifactStore;
  /** The user's saved permissions at the time of each call. */
  readonly grants?: () => readonly Grant[];
  readonly cache?: ReadCache;
  /** Reads the project's files for the cards. */
  readonly readFile?: ReadFile;
  /** Loads the tokenizer for receipts; without it there are none. */
  readonly countTokens?: AgentDeps['countTokens'];
}

export const defaultBudgets: Budgets = {
  node: {
    cpu_ms: 5_000,
    mem_mb: 64,
    max_ops: 1_000_000,
    tool_calls: 100,
    output_bytes: 65_536,
    tokens: 1_000,
  },
  run: { nodes: 16, wall_ms: 60_000, tool_calls: 200, tokens: 10_000, replans: 0 },
};

function scriptedModels(replies: readonly Reply[]) {
  const requests: ModelRequest[] = [];
  const models: ModelClient = {
    async *stream(request) {
      requests.push(request);
      yield* replies[requests.length - 1] ?? [];
    },
    listModels: () => Promise.resolve([]),
    providerName: (id) => id,
    defaultModel: () => Promise.resolve({ providerId: 'offline', model: 'offline' }),
    setupProblem: () => null,
    probe: () => Promise.resolve(ok([])),
  };
  return { models, requests };
}

const learnedFrom = (texts: TextCache) => ({
  nodeReplies: texts,
  observed: createObservedTypes(texts),
  earlier: createEarlierPlans(texts),
});

function rooms(
  { sandbox, artifacts = createMemoryArtifacts() }: AgentHarnessOptions,
  trusting: SandboxEngine,
) {
  return { sandbox: () => sandbox ?? trusting, artifacts: () => artifacts };
}

function countedIds() {
  let next = 0;
  return { next: (prefix: string) => `${prefix}_${(next += 1)}` };
}

/** An agent with in-memory dependencies, a record of every fact, and functions to answer, wait and stop. */
export function createAgentHarness(options: AgentHarnessOptions) {
  const time = createManualClock();
  const approvals = createApprovals();
  const checkSchema = createSchemaCheck();
  const sandbox = createTrustingSandbox();
  const { planRefusal = null, price = null } = options;
  const { models: scripted, requests } = scriptedModels(options.replies ?? []);
  const models: ModelClient = { ...scripted, planRefusal: () => planRefusal, priceOf: () => price };
  const facts: SessionFact[] = [];
  const commits: number[] = [];
  const listeners = new Set<(fact: SessionFact) => void>();
  const ids = countedIds();
  const { clock } = time;
  const learned = learnedFrom(options.texts ?? createMemoryTexts());
  const servers = {
    tools: options.tools.tools,
    ...(options.cache && { cache: options.cache }),
    ...(options.readFile && { readFile: options.readFile }),
    savedPermissions: { project: '/srv/project', grants: options.grants ?? (() => []) },
    onResult: learned.observed.see,
  };
  const toolCalls = createToolCalls({ clock, ids, checkSchema, servers: () => Promise.resolve(servers) });
  const agent = createAgent({
    clock,
    ids,
    models: options.models ?? models,
    approvals,
    checkSchema,
    ...learned,
    ...rooms(options, sandbox.engine),
    toolCalls,
    policy: {
      capabilities: () => ok(Capabilities.parse(options.capabilities ?? { allow: ['mcp://*'] })),
      budgets: () =>
        ok({
          node: { ...defaultBudgets.node, ...options.budgets?.node },
          run: { ...defaultBudgets.run, ...options.budgets?.run },
        }),
      ...options.policy,
    },
    recipes: createRecipes(options.recipes ?? []),
    ...(options.countTokens && { countTokens: options.countTokens }),
  });
  const stop = new AbortController();
  const record = (recorded: readonly SessionFact[]): boolean => {
    commits.push(recorded.length);
    facts.push(...recorded);
    for (const fact of recorded) for (const listener of [...listeners]) listener(fact);
    return true;
  };
  /** Resolves with the next fact of a type; rejects when the run ends first, so that no test waits for ever. */
  const seen = <T extends SessionFact['type']>(type: T) => {
    const found = new Promise<Extract<SessionFact, { type: T }>>((resolve, reject) => {
      const listener = (fact: SessionFact): void => {
        if (fact.type !== type && fact.type !== 'run-ended') return;
        listeners.delete(listener);
        if (fact.type === type) resolve(fact as Extract<SessionFact, { type: T }>);
        else reject(new Error(`The run ended without the fact ${type}.`));
      };
      listeners.add(listener);
    });
    found.catch(() => undefined);
    return found;
  };
  const request = (more: Partial<AgentRequest>): AgentRequest => ({
    turn: 0,
    goal: 'Do it',
    project: '/srv/project',
    approve: 'none' as const,
    ...sessionlessDefaults,
    model: { providerId: 'local', model: 'small' },
    ...more,
  });
  const run = (more: Partial<AgentRequest> = {}, commit = record) =>
    agent.run(request(more), commit, stop.signal);
  return { agent, run, request, facts, commits, requests, seen, stop, time, record, units: sandbox.units };
}
