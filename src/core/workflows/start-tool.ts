import { appError, type AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { WorkflowDefinition, WorkflowManifest } from '#shared/workflow';
import type { WorkflowRun } from '#shared/workflow-state';
import { warningsForUser } from '#shared/workflow-warnings';
import type { AnswerEffect, ModelQuestions } from '../control-plane/model-questions';
import type { BuiltInTool, BuiltInToolContext } from '../ports/built-in-tool';
import type { Ids } from '../ports/ids';
import type { SessionLog } from '../session/session-log';
import { checkInputs } from './check-inputs';
import { failingPreconditions, type PreconditionContext } from './conditions';
import type { WorkflowRegistry } from './registry';
import { namedInLastLine } from './named-by-user';
import { refusedInputs, type RaisedError, type WorkflowController } from './workflow-controller';

export const startTool = 'agent_start_workflow';

export interface StartDeps {
  readonly registry: WorkflowRegistry;
  readonly log: SessionLog;
  readonly ids: Ids;
  readonly preconditionContext: PreconditionContext;
  readonly questions: ModelQuestions;
  readonly controller: WorkflowController;
  readonly resume: (place: { readonly sessionId: string; readonly turn: number }) => boolean;
}

interface Wanted {
  readonly workflowId: string;
  readonly version?: string;
  readonly inputs?: JsonObject;
  readonly reason?: string;
}

interface Starting {
  readonly context: BuiltInToolContext;
  readonly state: SessionState;
  readonly wanted: Wanted;
  readonly manifest: WorkflowManifest;
  /** The user's own answers, if the call contains them. */
  readonly provided: JsonObject | null;
}

const yes = 'Start';
const state = (message: string, hint: string): AppError =>
  appError('HOST', 'STATE', message, { tool: startTool, hint });

/** Refuses a start, and shows the user the request and the reason. */
function refuse(
  deps: StartDeps,
  context: BuiltInToolContext,
  raised: RaisedError,
  error: AppError,
): Result<never> {
  if (context.sessionId !== null) deps.controller.raise(context.sessionId, context.turn, raised);
  return err(error);
}

function findManifest(deps: StartDeps, context: BuiltInToolContext, session: SessionState, id: string) {
  // The user's own command names what it starts; for a model's call, only the user's words count.
  const named = context.actor === 'user' ? () => true : namedInLastLine(session);
  const view = deps.registry.view(session.workflowPin);
  const found = view.manifest(id, named);
  if (found.ok) return found;
  const drift = view.find(id)?.approval.kind === 'drifted' || view.unreadable.has(id);
  const kind = drift ? ('drift' as const) : ('unknown-workflow' as const);
  return refuse(
    deps,
    context,
    { workflowId: id.slice(0, 100), kind, message: found.error.message },
    found.error,
  );
}

/** Only one workflow runs at a time, unless the running one lets this one take over (TUL-006 §7.5). */
function blockedByRunning({
  state: session,
  manifest,
}: Pick<Starting, 'state' | 'manifest'>): AppError | null {
  const running = session.workflow;
  if (!running) return null;
  const { definition } = running;
  const { WorkflowId: id } = manifest;
  if (definition.WorkflowId !== id && definition.AllowedTransitions.workflows.includes(id)) return null;
  const message = `‘${id}’ cannot start: the workflow ‘${definition.WorkflowId}’ is running.`;
  return state(message, 'Complete it, or let the user cancel it first.');
}

/**
 * Builds the facts of a start. Inputs from the call are in the same commit, so that the workflow never
 * appears to wait for them.
 */
function startFacts({ ids, registry }: StartDeps, starting: Starting): readonly SessionFact[] {
  const { context, state: session, wanted, manifest, provided: provided } = starting;
  const workflowRunId = ids.next('wfr');
  const { Warnings: _warnings, ...definition } = manifest;
  const { turn, cause, actor: by } = context;
  const { workflow } = session;
  const hash = registry.view(session.workflowPin).find(manifest.WorkflowId)?.hash ?? '';
  const switched: readonly SessionFact[] = workflow
    ? [
        {
          type: 'workflow-ended',
          workflowRunId: workflow.workflowRunId,
          turn,
          outcome: 'switched',
          by,
          summary: `‘${manifest.WorkflowId}’ takes over.`,
        },
      ]
    : [];
  return [
    ...switched,
    {
      type: 'workflow-started',
      workflowRunId,
      turn,
      definition,
      hash,
      by,
      cause,
      proposed: wanted.inputs ?? {},
    },
    ...(provided ? [{ type: 'workflow-inputs-given' as const, workflowRunId, turn, inputs: provided }] : []),
  ];
}

/** Starts the workflow, unless another one started while the card was open. */
function startAsAsked(deps: StartDeps, starting: Starting): Result<AnswerEffect> {
  const state = deps.log.state(starting.context.sessionId ?? '') ?? starting.state;
  const now = { ...starting, state };
  const blocked = blockedByRunning(now);
  return blocked ? err(blocked) : ok({ facts: startFacts(deps, now) });
}

/** Describes the scope of a yes: the tools, the calls that need approval, and the required inputs. */
function scopeLines({
  PermittedTools,
  RequiredApprovals,
  RequiredInputs,
}: WorkflowManifest): readonly string[] {
  const approved = [...new Set(RequiredApprovals.map(({ tool }) => tool))];
  return [
    `Tools it may use: ${PermittedTools.join(', ') || 'none'}`,
    ...(approved.length > 0 ? [`It asks before each call of: ${approved.join(', ')}`] : []),
    ...(RequiredInputs.length > 0 ? [`It needs: ${RequiredInputs.map(({ name }) => name).join(', ')}`] : []),
  ];
}

/**
 * Asks the user on a card (TUL-006 §6.2). Nothing starts before the answer; the answer and the start are one
 * commit.
 */
async function askUser(deps: StartDeps, starting: Starting): Promise<Result<boolean>> {
  const { context, state: session, wanted, manifest } = starting;
  const { Title, Description, WorkflowId, Version, Warnings = [] } = manifest;
  const detail = [
    `${WorkflowId} ${Version}: ${Description}`,
    ...Warnings,
    ...scopeLines(manifest),
    ...(wanted.reason === undefined ? [] : [`Why: ${wanted.reason}`]),
  ].join('\n');
  const answer = await deps.questions.ask(
    context,
    {
      text: `Start the workflow “${Title}”?`,
      detail,
      options: [yes, 'Not now'],
      mode: deps.preconditionContext.modeOf(session).key,
      focusId: session.context?.entityHeader?.id ?? null,
    },
    (option) => (option === yes ? startAsAsked(deps, starting) : ok({ facts: [] })),
  );
  return answer.ok ? ok(answer.value === yes) : answer;
}

/**
 * A workflow starts without a question only if it allows that, and never while any definition has drifted or
 * cannot be read (TUL-006 §8.8). The user's own command needs no question.
 */
function startsByItself({ registry }: StartDeps, { context, state: session, manifest }: Starting): boolean {
  if (context.actor === 'user') return true;
  const { drifted, unreadable } = registry.view(session.workflowPin);
  const safe = drifted.length === 0 && unreadable.size === 0;
  return manifest.AutoStart && manifest.Visibility === 'public' && manifest.Status === 'active' && safe;
}

/** Starts the workflow; false when the user declines. */
async function begin(deps: StartDeps, starting: Starting): Promise<Result<boolean>> {
  if (!startsByItself(deps, starting)) return askUser(deps, starting);
  const { sessionId } = starting.context;
  const recorded = deps.log.append(sessionId ?? '', startFacts(deps, starting));
  return recorded.ok ? ok(true) : recorded;
}

/**
 * Whether the call waits for the user's inputs: only for a model's call, and only if the user can be asked.
 */
const waitsForInputs = ({ context, manifest }: Starting): boolean =>
  manifest.RequiredInputs.length > 0 && context.actor === 'model' && context.approve === 'ask';

/** The reply to the caller: the manifest with its inputs, or with the open questions. */
function replyJson(manifest: WorkflowManifest, run: WorkflowRun | null): string {
  const what = run ? 'Workflow started' : 'Workflow not started, as its inputs were not given';
  const summary = [`${what}: ${manifest.Title}`, ...warningsForUser(manifest)].join('. ');
  if (run?.inputs) return JSON.stringify({ started: true, workflow: manifest, inputs: run.inputs, summary });
  const missing = manifest.RequiredInputs.map(({ name, question }) => ({ name, question }));
  return JSON.stringify({ started: run !== null, workflow: manifest, inputsMissing: missing, summary });
}

async function collect(deps: StartDeps, starting: Starting): Promise<Result<string>> {
  const { context, manifest } = starting;
  const { actor, turn } = context;
  const sessionId = context.sessionId ?? '';
  if (waitsForInputs(starting)) await deps.controller.inputsGiven(sessionId, context.signal);
  const run = deps.log.state(sessionId)?.workflow ?? null;
  if (run?.inputs && actor === 'user' && turn !== null) deps.resume({ sessionId, turn });
  return ok(replyJson(manifest, run));
}

/** Refuses a named version other than the newest one, and says how to get its text back (TUL-006 §8.4). */
function otherVersion({ wanted, manifest }: Omit<Starting, 'provided'>): AppError | null {
  const { WorkflowId: id, Version } = manifest;
  const { version = Version } = wanted;
  if (version === Version) return null;
  return state(
    `‘${id}’ cannot start in version ${version.slice(0, 40)}: only its newest version, ${Version}, runs.`,
    `Start it without a version. To run an earlier text, a person publishes it as the next version: “Use again” in the workflow’s history drafts it.`,
  );
}

async function start(deps: StartDeps, request: Omit<Starting, 'provided'>): Promise<Result<string>> {
  const { context, state: session, manifest, wanted } = request;
  const { WorkflowId: workflowId } = manifest;
  const other = otherVersion(request);
  if (other)
    return refuse(deps, context, { workflowId, kind: 'precondition-failed', message: other.message }, other);
  const blocked = blockedByRunning(request);
  if (blocked) {
    return refuse(deps, context, { workflowId, kind: 'second-workflow', message: blocked.message }, blocked);
  }
  const failing = failingPreconditions(deps.preconditionContext, session, manifest, null);
  if (failing.length > 0) {
    const message = `‘${workflowId}’ cannot start. ${failing.join(' ')}`;
    const hint = 'Correct this, choose another workflow, or leave it.';
    return refuse(deps, context, { workflowId, kind: 'precondition-failed', message }, state(message, hint));
  }
  const { approve } = context;
  const inputs = inputsWithTheCall(deps.preconditionContext, session, manifest, {
    approve,
    inputs: wanted.inputs,
  });
  if (!inputs.ok) return inputs;
  const starting: Starting = { ...request, provided: inputs.value };
  const begun = await begin(deps, starting);
  if (!begun.ok) return begun;
  if (!begun.value)
    return ok(JSON.stringify({ started: false, reason: 'The user did not want it to start.' }));
  return collect(deps, starting);
}

/**
 * `agent_start_workflow {workflowId, version?, inputs?, reason?}`: the only way to activate a workflow in a session.
 */
export function createStartTool(deps: StartDeps): BuiltInTool {
  return {
    name: startTool,
    isToolFullyExecutedOnServer: true,
    needsSession: true,
    toolUsageMetadata:
      'Starts a workflow of the registry in this session. The host asks the user unless the workflow starts by itself, checks its preconditions, and has the user fill in the required inputs; what you pass as inputs is shown to the user as a proposal. Returns the manifest to follow.',
    schema: {
      type: 'object',
      properties: {
        workflowId: { type: 'string', description: 'Id of a workflow in the registry.' },
        version: { type: 'string', description: 'Only the newest one starts, so this can be left out.' },
        inputs: {
          type: 'object',
          description: 'What the user has said already about the required inputs, by name.',
        },
        reason: { type: 'string', description: 'One sentence the user reads: why this workflow.' },
      },
      required: ['workflowId'],
      additionalProperties: false,
    },
    async execute(argumentsJson, context) {
      const { sessionId } = context;
      const session = sessionId === null ? null : deps.log.state(sessionId);
      if (!session)
        return err(state('A workflow runs in a session, and there is none.', 'Name one with --session.'));
      const wanted = JSON.parse(argumentsJson) as Wanted;
      const manifest = findManifest(deps, context, session, wanted.workflowId);
      if (!manifest.ok) return manifest;
      return start(deps, { context, state: session, wanted, manifest: manifest.value });
    },
  };
}

/**
 * With `--approve all`, nobody can be asked, so the inputs of the call are the user's own answers; null when
 * there are none. HOST/INVALID_INPUT for invalid answers and HOST/STATE for a precondition they do not meet:
 * then nothing starts.
 */
function inputsWithTheCall(
  preconditionContext: PreconditionContext,
  session: SessionState,
  definition: WorkflowDefinition,
  { approve, inputs }: Pick<BuiltInToolContext, 'approve'> & { readonly inputs?: JsonObject | undefined },
): Result<JsonObject | null> {
  if (approve !== 'all' || inputs === undefined) return ok(null);
  const checked = checkInputs(definition, inputs, { preconditionContext, project: session.project });
  if (!checked.ok) return err(refusedInputs(checked.error));
  const failing = failingPreconditions(preconditionContext, session, definition, checked.value);
  if (failing.length === 0) return ok(checked.value);
  const message = `‘${definition.WorkflowId}’ cannot start. ${failing.join(' ')}`;
  return err(appError('HOST', 'STATE', message, { hint: 'Give other inputs, or correct this first.' }));
}
