import type { Ddr } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import type { AgentMode } from '#shared/mode';
import { ok, type Result } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import { turnAt, type QuestionState } from '#shared/session-state';
import type { WorkflowDefinition } from '#shared/workflow';
import { createModelQuestions } from '../core/control-plane/model-questions';
import { createModeCatalog } from '../core/modes/mode-catalog';
import type { BuiltInToolContext } from '../core/ports/built-in-tool';
import { createSessionLog } from '../core/session/session-log';
import { answerOrphanedApproval } from '../core/workflows/approval-tool';
import { createWorkflows, type WorkflowsDeps } from '../core/workflows/create-workflows';
import { createWorkflowRegistry } from '../core/workflows/registry';
import { contextOf } from './ddr-harness';
import { createInMemoryWorkflowStore } from './in-memory-workflow-store';
import { approvingDdr } from './sample-workflows';
import { must, newDatabasePath, openStore } from './stored-session';

export interface WorkflowSessionOptions {
  /** The design records; by default WFL-001, which approves the definitions. */
  readonly ddrs?: readonly Ddr[];
  readonly changedAt?: WorkflowsDeps['changedAt'];
  readonly builtInTools?: WorkflowsDeps['builtInTools'];
  readonly serverTools?: WorkflowsDeps['serverTools'];
}

const mode = (key: string, displayName: string): AgentMode => ({
  id: key.toUpperCase(),
  key,
  displayName,
  whenToUse: '',
  isDefault: key === 'general',
  version: '1.0.0',
  modeInstructions: [],
  behaviorHints: [],
  humanRoleHints: [],
  exampleUtterances: [],
  associatedToolIds: ['mcp://*'],
  toolGroupHints: [],
  ragScopeHints: [],
  strongSignals: [],
  weakSignals: [],
  toolboxIds: [],
  aliases: [],
});

/** A session with one line, and what models and users do with the workflows in it, without models or servers. */
export function createWorkflowSession(
  definitions: readonly WorkflowDefinition[],
  options: WorkflowSessionOptions = {},
) {
  const { ddrs = [approvingDdr(definitions)], changedAt = () => null } = options;
  const {
    builtInTools = () => [],
    serverTools = () => Promise.resolve({ tools: [], serversUnknown: null }),
  } = options;
  const store = createInMemoryWorkflowStore(definitions);
  const ddr = (id: string): Ddr | null => ddrs.find((one) => one.id === id) ?? null;
  const registry = createWorkflowRegistry({ store, ddr, onDdrChange: () => () => undefined });
  let count = 0;
  const ids = { next: (prefix: string): string => `${prefix}_${String((count += 1))}` };
  const log = createSessionLog({ store: openStore(newDatabasePath()), ids });
  const questions = createModelQuestions({ log, ids, effectOfOrphan: answerOrphanedApproval });
  const resumed: unknown[] = [];
  const modes = createModeCatalog([mode('general', 'General'), mode('ddr_authoring', 'DDR authoring')]);
  const workflows = createWorkflows({
    store,
    registry,
    log,
    ids,
    questions,
    modes,
    changedAt,
    builtInTools,
    serverTools,
    ddr,
    conversation: {
      resume(place) {
        resumed.push(place);
        return ok({ turn: place.turn, done: Promise.resolve(null) });
      },
    },
    modeOf: () => modes.defaultMode,
    recordHash: () => Promise.resolve(ok(null)),
    userName: () => 'Ada Lovelace',
    localTime: () => '2026-03-04T05:06:07+01:00',
  });
  const { id: sessionId } = must(log.create('/projects/sample'));
  const say = (turn: number, text: string): void => {
    const model = { providerId: 'local', model: 'm' };
    must(log.append(sessionId, [{ type: 'message-sent', turn, text, runMode: 'ask', model }]));
  };
  say(0, 'Create a DDR');
  const asked: QuestionState[] = [];
  let clicks: readonly string[] = [];
  log.subscribe((events) => {
    for (const event of events) {
      if (event.type !== 'question-asked') continue;
      const { turn, question } = event;
      const { questionId } = question;
      const card = turnAt(must(log.peek(sessionId)), turn)?.questions?.at(-1);
      if (card) asked.push(card);
      const [option, ...later] = clicks;
      if (later.length > 0) clicks = later;
      if (option !== undefined)
        queueMicrotask(() => questions.answer({ sessionId, turn, questionId, option }));
    }
  });
  return {
    sessionId,
    store,
    registry,
    log,
    questions,
    workflows,
    modes,
    /** The places at which the model was told to continue. */
    resumed,
    /** The cards, as they were shown. */
    asked,
    say,
    /** Chooses these options as cards open; the last one is chosen again. */
    click: (...chosen: readonly string[]): void => void (clicks = chosen),
    /** Calls a tool as a model does on the line, or as `more` says. */
    call: (name: string, args: JsonObject, more: Partial<BuiltInToolContext> = {}) => {
      const tool = workflows.tools.find((one) => one.name === name);
      if (!tool) throw new Error(`There is no tool ${name}.`);
      return tool.execute(JSON.stringify(args), { ...contextOf('model'), sessionId, ...more });
    },
    run: () => log.state(sessionId)?.workflow ?? null,
    state: () => must(log.peek(sessionId)),
    /** The recorded events of these types. */
    facts: (...types: readonly SessionEvent['type'][]) =>
      must(log.events(sessionId)).filter(({ type }) => types.includes(type)),
  };
}

/** The JSON of a tool's answer; a refusal fails the test with its message. */
export const answerIn = (result: Result<string>): unknown => JSON.parse(must(result));
