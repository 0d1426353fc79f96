import type { JsonObject } from '#shared/json';
import type { SessionEvent } from '#shared/session-event';
import { turnAt } from '#shared/session-state';
import type { WorkflowInput } from '#shared/workflow';
import type { WorkflowChoice } from '#shared/workflow-event';
import type { WorkflowRun } from '#shared/workflow-state';
import type { App } from '../app';
import { optionFrom } from './ask-question';
import { describeError, type Terminal } from './output';

/** Asks for the input of a running workflow on standard input. */
export type WorkflowPrompts = ReturnType<typeof createWorkflowPrompts>;

const needsInputs = (run: WorkflowRun | null | undefined): run is WorkflowRun =>
  run?.inputs === null && run.definition.RequiredInputs.length > 0;

function hintOf({ type, required, validation }: WorkflowInput): string {
  const kind = type === 'boolean' ? 'yes or no' : type === 'ddr' ? 'id of a design record' : type;
  return [
    validation.options ? 'a number or its text' : kind,
    ...(required ? [] : ['may be left empty']),
  ].join('; ');
}

interface InputQuestion {
  readonly input: WorkflowInput;
  /** A model's proposal; never an answer that was refused. */
  readonly before: string | undefined;
}

function questionOf({ input, before }: InputQuestion): string {
  const options = (input.validation.options ?? []).map((option, at) => `  ${at + 1}  ${option}`);
  const hint = before === undefined ? [] : [`  Press Enter for “${before}”.`];
  return [`${input.question} (${hintOf(input)})`, ...options, ...hint].join('\n');
}

const asLine = (value: unknown): string | undefined =>
  value === undefined || value === null
    ? undefined
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

const halfway = 'The workflow was cancelled because its inputs are missing.';

/** Reads one answer, an option also by its number; null at the end of the input. An empty line accepts the value shown. */
async function askOne(
  terminal: Terminal,
  signal: AbortSignal,
  question: InputQuestion,
): Promise<string | undefined | null> {
  terminal.log(questionOf(question));
  const line = await terminal.readLine(`${question.input.name}: `, { signal, discardTypeahead: true });
  if (line === null) return null;
  const answer = line.trim();
  if (answer === '') return question.before;
  return optionFrom(answer, question.input.validation.options ?? []) ?? answer;
}

/**
 * Asks for the RequiredInputs in order (TUL-006 §6.2); only those in `wrong` when some were invalid. Null:
 * nobody answers.
 */
async function askAll(
  terminal: Terminal,
  signal: AbortSignal,
  run: WorkflowRun,
  { values, wrong }: { readonly values: JsonObject; readonly wrong: ReadonlySet<string> | null },
): Promise<JsonObject | null> {
  const answers: Record<string, string> = {};
  for (const input of run.definition.RequiredInputs) {
    const before = asLine(values[input.name]);
    const asksThis = wrong === null || wrong.has(input.name);
    const answer = asksThis ? await askOne(terminal, signal, { input, before }) : before;
    if (answer === null) return null;
    if (answer !== undefined) answers[input.name] = answer;
  }
  return answers;
}

/** The values to begin with after a refusal: a refused answer gives way to the model's proposal, unless it was that. */
function askAgain(proposed: JsonObject, inputs: JsonObject, wrong: readonly string[]): JsonObject {
  const values = Object.entries(inputs).map(([name, answer]) => {
    if (!wrong.includes(name)) return [name, answer] as const;
    return [name, asLine(proposed[name]) === answer ? null : (proposed[name] ?? null)] as const;
  });
  return Object.fromEntries(values);
}

/** What to ask for, and the values to begin with. */
type InputRequest = Parameters<typeof askAll>[3];

/** Gives the inputs to the workflow; null when it takes them, otherwise what to ask again. */
function submitInputs(
  app: Pick<App, 'workflowController'>,
  terminal: Terminal,
  { sessionId, run }: { readonly sessionId: string; readonly run: WorkflowRun },
  inputs: JsonObject,
): InputRequest | null {
  const taken = app.workflowController.giveInputs(sessionId, inputs);
  if (taken.ok) return null;
  terminal.log(describeError(taken.error));
  const fields = (taken.error.problems ?? []).map(({ field }) => field);
  return {
    values: askAgain(run.proposed, inputs, fields),
    wrong: fields.length > 0 ? new Set(fields) : null,
  };
}

/**
 * Asks the user for a workflow's required inputs until they are valid; cancels the workflow when nobody can
 * be asked. `provided`: the inputs that the command names.
 */
async function collect(
  app: Pick<App, 'log' | 'workflowController'>,
  terminal: Terminal,
  { sessionId, provided }: { readonly sessionId: string; readonly provided: JsonObject | undefined },
  signal: AbortSignal,
): Promise<void> {
  const run = app.log.state(sessionId)?.workflow;
  if (!needsInputs(run)) return;
  const place = { sessionId, run };
  let request: InputRequest | null = provided
    ? submitInputs(app, terminal, place, provided)
    : { values: run.proposed, wrong: null };
  if (request) terminal.log(`\n${run.definition.Title} needs this first. Ctrl+D cancels the workflow.`);
  while (request && needsInputs(app.log.state(sessionId)?.workflow)) {
    const inputs = await askAll(terminal, signal, run, request);
    if (signal.aborted) return;
    if (inputs === null) {
      app.workflowController.cancel(sessionId);
      terminal.log(halfway);
      return;
    }
    request = submitInputs(app, terminal, place, inputs);
  }
}

/** Lists what an author suggests to do after a completed workflow. */
function printFollowUps(
  { log }: Pick<App, 'log'>,
  terminal: Terminal,
  { sessionId, turn }: Extract<SessionEvent, { type: 'workflow-ended' }>,
): void {
  const state = log.state(sessionId);
  const ended = turn === null || !state ? undefined : turnAt(state, turn)?.workflow?.at(-1);
  if (ended?.kind !== 'ended') return;
  for (const followUp of ended.followUps) terminal.log(`  next: ${followUp.text}`);
}

/**
 * Asks the questions of the window's form, except those that `provided` answers. When nobody can be asked (`reads`
 * is false), cancels a workflow that waits for inputs: it would wait forever.
 */
export function createWorkflowPrompts(
  app: Pick<App, 'log' | 'workflowController'>,
  terminal: Terminal,
  { reads, provided }: { readonly reads: boolean; readonly provided?: JsonObject | undefined },
) {
  const closed = new AbortController();
  let turn: Promise<unknown> = Promise.resolve();
  const ask = (sessionId: string): void => {
    turn = terminal.inTurn(async () => {
      if (closed.signal.aborted) return;
      if (reads) return collect(app, terminal, { sessionId, provided }, closed.signal);
      if (!needsInputs(app.log.state(sessionId)?.workflow)) return;
      terminal.log(halfway);
      app.workflowController.cancel(sessionId);
    });
  };
  return {
    /** Asks for the inputs that a workflow waits for, if any. */
    ask,
    onEvents(events: readonly SessionEvent[]): void {
      for (const event of events) {
        if (event.type === 'workflow-started') ask(event.sessionId);
        if (event.type === 'workflow-ended') printFollowUps(app, terminal, event);
      }
    },
    /** Resolves when no question is pending. */
    finished: (): Promise<unknown> => turn,
    close: (): void => closed.abort(),
  };
}

const choices: readonly { readonly choice: WorkflowChoice; readonly says: string }[] = [
  { choice: 'retry', says: 'Try the step again' },
  { choice: 'correct', says: 'Correct something, then try again' },
  { choice: 'cancel', says: 'Cancel the workflow' },
];

/**
 * Asks how to continue after an error that stopped the workflow (TUL-006 §6.7, §7.6); null when it is not
 * stopped or nobody answered.
 */
export async function askHowToGoOn(
  app: Pick<App, 'log' | 'workflowController'>,
  terminal: Terminal,
  sessionId: string,
): Promise<WorkflowChoice | null> {
  const halted = app.log.state(sessionId)?.workflow?.halted;
  return halted ? terminal.inTurn(() => chooseHow(app, terminal, sessionId, halted.message)) : null;
}

async function chooseHow(
  app: Pick<App, 'workflowController'>,
  terminal: Terminal,
  sessionId: string,
  message: string,
): Promise<WorkflowChoice | null> {
  const says = choices.map((one) => one.says);
  terminal.log(`\nThe workflow is stopped. ${message}`);
  says.forEach((text, index) => terminal.log(`  ${index + 1}  ${text}`));
  for (;;) {
    const line = await terminal.readLine('Choose: ', { discardTypeahead: true });
    if (line === null) return null;
    const option = optionFrom(line, says);
    const chosen = choices.find((one) => one.says === option)?.choice;
    if (chosen === undefined) {
      terminal.log('Type one of the numbers.');
      continue;
    }
    const taken = app.workflowController.choose(sessionId, chosen);
    if (!taken.ok) terminal.log(describeError(taken.error));
    return taken.ok ? chosen : null;
  }
}
