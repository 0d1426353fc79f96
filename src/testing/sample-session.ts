import { applyEvent } from '#shared/apply-event';
import type { AppError } from '#shared/app-error';
import type { Budgets } from '#shared/budgets';
import type { ModelRef, Usage } from '#shared/model';
import type { Plan } from '#shared/plan';
import type { ReplyOutcome, SessionEvent, SessionFact } from '#shared/session-event';
import { emptySession, turnAt, type RunState, type SessionState } from '#shared/session-state';

export const sampleModel: ModelRef = { providerId: 'local', model: 'small-model' };
const usage: Usage = { modelTurns: 1, inputTokens: 1_200, outputTokens: 340 };

/** The events of a session with these facts, one second apart from a fixed start time. */
export function eventsOf(facts: readonly SessionFact[], id = 'session-1'): readonly SessionEvent[] {
  const created: SessionFact = { type: 'session-created', title: 'Sample', project: '/projects/sample' };
  return [created, ...facts].map((fact, index) => ({
    ...fact,
    sessionId: id,
    seq: index + 1,
    at: 1_000_000 + index * 1_000,
    v: 1,
  }));
}

/** Folds facts into a session. */
export const sessionOf = (facts: readonly SessionFact[], id = 'session-1'): SessionState =>
  eventsOf(facts, id).reduce(applyEvent, emptySession(id));

/** The run that a session shows after one goal and these facts; throws when there is none. */
export function runOf(facts: readonly SessionFact[]): RunState {
  const line = { text: 'Do it', runMode: 'agent', model: sampleModel } as const;
  const run = turnAt(sessionOf([{ type: 'message-sent', turn: 0, ...line }, ...facts]), 0)?.run;
  if (!run) throw new Error('There is no run.');
  return run;
}

export interface SampleReply {
  readonly turn: number;
  readonly text?: string;
  readonly reply: string;
  readonly outcome?: ReplyOutcome;
  readonly error?: AppError;
  readonly model?: ModelRef;
}

/** The facts of one question and its reply; without an outcome, the reply is still streaming. */
export function askFacts({
  turn,
  text = `line ${turn}`,
  reply,
  outcome,
  error,
  model = sampleModel,
}: SampleReply): SessionFact[] {
  const sent: SessionFact = { type: 'message-sent', turn, text, runMode: 'ask', model };
  const started: SessionFact = { type: 'reply-started', turn, model, providerName: 'Local models' };
  const extended: SessionFact[] = reply === '' ? [] : [{ type: 'reply-extended', turn, text: reply }];
  if (!outcome) return [sent, started, ...extended];
  return [sent, started, ...extended, { type: 'reply-ended', turn, outcome, usage, ...(error && { error }) }];
}

const script = { kind: 'script', code: 'return { summary: "" };' } as const;

export const samplePlan: Plan = {
  goal: 'count the files',
  constraints: [],
  answer: '{{write.total}}',
  nodes: [
    {
      id: 'list',
      title: 'List the files',
      deps: [],
      ...script,
      tools: ['mcp://project.list_files'],
      params: { folder: 'docs' },
    },
    { id: 'hash', title: 'Hash them', deps: ['list'], ...script, budgets: { cpu_ms: 1_000 } },
    { id: 'write', title: 'Write the report', deps: ['hash'], ...script },
  ],
};

export const sampleHash = 'f'.repeat(64);

export const sampleBudgets: Budgets = {
  node: {
    cpu_ms: 5_000,
    mem_mb: 64,
    max_ops: 1_000_000,
    tool_calls: 100,
    output_bytes: 65_536,
    tokens: 1_000,
  },
  run: { nodes: 32, wall_ms: 60_000, tool_calls: 200, tokens: 10_000, replans: 0 },
};

/** The facts of a run up to a write that waits for approval. */
export function runFacts(turn = 0, budgets?: Budgets): SessionFact[] {
  const run = { turn, runId: `run-${turn}` };
  const metrics = { cpu_ms: 400, mem_mb: 12, tool_calls: 1, wall_ms: 900 };
  const handle = `artifact://sha256/${'a'.repeat(64)}`;
  const done = { status: 'done', cached: false, metrics } as const;
  return [
    { type: 'message-sent', turn, text: 'count the files', runMode: 'agent', model: sampleModel },
    { type: 'run-started', ...run, goal: 'count the files', ...(budgets && { budgets }) },
    { type: 'plan-made', ...run, plan: samplePlan, planHash: 'p', source: 'recipe', recipeId: 'count-files' },
    { type: 'node-started', ...run, nodeId: 'list' },
    {
      type: 'tool-called',
      ...run,
      nodeId: 'list',
      call: {
        callId: 'c1',
        tool: 'mcp://project.list_files',
        argumentsPreview: '{"glob":"**"}',
        outcome: 'done',
        ms: 12,
        bytes: 2_048,
        preview: '{"files":[]}',
      },
    },
    {
      type: 'node-ended',
      ...run,
      nodeId: 'list',
      summary: '12 files',
      state: { total: 12 },
      log: ['listed'],
      ...done,
    },
    { type: 'node-started', ...run, nodeId: 'hash' },
    {
      type: 'node-ended',
      ...run,
      nodeId: 'hash',
      summary: '12 hashes',
      artifacts: [{ type: 'application/json', handle, bytes: 18_230, name: 'hashes.json' }],
      ...done,
    },
    { type: 'node-started', ...run, nodeId: 'write' },
    {
      type: 'approval-requested',
      ...run,
      nodeId: 'write',
      approvalId: 'approval-1',
      tool: 'mcp://filesystem.write_file',
      arguments: { path: 'report.md', content: '# 12 files' },
      hash: sampleHash,
    },
  ];
}

export const sampleUsage = usage;
