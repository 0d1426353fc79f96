import type { AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import type { ModelRef } from '#shared/model';
import type { RunMode } from '#shared/run-mode';
import type { QueueTime } from '#shared/line-queue';
import { ok, type Result } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import { slashNames } from '#shared/command';
import { continueLine, turnAt } from '#shared/session-state';
import type { WindowActionCall } from '#shared/window-action';
import { headTurn, lastAnswered } from '#shared/turn-tree';
import type { App } from '../../app';
import { setModelTool } from '../../../core/control-plane/set-model-tool';
import type { RoutedLine } from '../../../core/control-plane/submit-line';
import { createApprovalPrompts } from '../ask-approval';
import { createPlanPrompts } from '../ask-plan';
import type { RunParts } from './agent';
import { askElicitations } from '../ask-elicitation';
import { createQuestionPrompts, questionText } from '../ask-question';
import { askHowToGoOn, createWorkflowPrompts, type WorkflowPrompts } from '../ask-workflow';
import { chooseItem, whyEmpty } from '../choose-item';
import { modelNamed } from '../named-model';
import { openNamedSession, openSession } from '../open-session';
import { describeError, fail, type ExitCode, type Terminal } from '../output';
import { endedRun, printForPeople, progressLine, type EndedRun } from '../run-report';
import { hintFor, recordedFact } from '../window-actions';
import type { TurnReport } from '../../../core/session/turn-work';
import { retryLine } from '../../../core/workflows/retry-line';

const help = [
  '/ask      answer the next messages with the model',
  '/agent    run the next messages as goals in Agent Mode',
  '/recipes  list what runs without a model',
  '/new      start a new session',
  '/back     take back the mode, focus or run mode that the last message changed',
  '/instead  send the last message to the model instead of running its command',
  '/queue    list the messages that wait; /withdraw 1 removes the first, /now 1 uses it immediately,',
  '          /next 1 after the running stage, /after 1 after the run',
  '/reload   switch to the published workflows; /cancel ends the running one',
  '/mode     change the mode; other slash commands: /review, /recipe, /session, /file, /server, /model',
  '/quit     leave (or Ctrl+D); Ctrl+C stops the current reply or run',
].join('\n');

/** The parts that the chat uses. */
export type ChatParts = RunParts & Pick<App, 'onReplyDelta' | 'recipes' | 'reloadWorkflows' | 'settings'>;

interface Chat {
  readonly app: ChatParts;
  readonly terminal: Terminal;
  /** Null until the first line: looking around does not create a session. */
  sessionId: string | null;
  /** The turn whose answer is printed when it ends. */
  answering?: number | null;
  /** The model that was named for this chat; the chosen one otherwise. */
  model?: ModelRef | undefined;
  /** Inputs for the workflow that the line starts, instead of questions. */
  readonly provided?: JsonObject;
}

function setMode(chat: Chat, mode: RunMode): void {
  if (mode === 'agent' && !chat.app.agentMode.enabled) {
    chat.terminal.log(chat.app.agentMode.reason ?? 'Agent Mode is switched off.');
    return;
  }
  const saved = chat.app.settings.patch({ mode });
  chat.terminal.log(
    mode === 'ask' ? 'Ask: your messages go to the model.' : 'Agent Mode: your messages are goals.',
  );
  if (!saved.ok) chat.terminal.log(describeError(saved.error));
}

/** Acts on the workflows of the current session, if there is one. */
function inSession(
  { sessionId, terminal }: Chat,
  act: (sessionId: string) => Result<null>,
  done: string,
): void {
  const acted = sessionId === null ? null : act(sessionId);
  const failed = acted?.ok === false ? describeError(acted.error) : null;
  terminal.log(failed ?? (acted ? done : 'There is no session yet; your next message starts one.'));
}

const slashCommands: ReadonlyMap<string, (chat: Chat) => void> = new Map([
  ['/help', ({ terminal }: Chat) => terminal.log(help)],
  ['/ask', (chat: Chat) => setMode(chat, 'ask')],
  ['/agent', (chat: Chat) => setMode(chat, 'agent')],
  ['/queue', (chat: Chat) => chat.terminal.log(queueText(chat))],
  ['/new', startNewSession],
  ['/reload', (chat: Chat) => inSession(chat, chat.app.reloadWorkflows, 'Workflows reloaded.')],
  [
    '/cancel',
    (chat: Chat) => inSession(chat, chat.app.workflowController.cancel, 'The workflow was cancelled.'),
  ],
  [
    '/recipes',
    ({ app, terminal }: Chat) =>
      terminal.log(
        app
          .recipes()
          .map((recipe) => `${recipe.title}: “${recipe.example ?? recipe.id}”`)
          .join('\n'),
      ),
  ],
]);

interface Followed {
  readonly workflow: WorkflowPrompts;
  readonly stop: () => void;
}

/** The terminal of the questions of a turn: a command for waiting lines answers none, so the question is asked again. */
function questionTerminal(chat: Chat): Terminal {
  const { terminal } = chat;
  return {
    ...terminal,
    readLine: async (prompt, options) => {
      for (;;) {
        const line = await terminal.readLine(prompt, options);
        const word = line?.trim() ?? '';
        if (word === '/queue') terminal.log(queueText(chat));
        else if (!changeQueue(chat, word)) return line;
      }
    },
  };
}

/** Prints the output of a line as it arrives and asks its questions. */
function follow(chat: Chat, sessionId: string): Followed {
  const { app, provided } = chat;
  const terminal = questionTerminal(chat);
  const workflow = createWorkflowPrompts(app, terminal, { reads: true, provided });
  const approvals = createApprovalPrompts(app, terminal);
  const plans = createPlanPrompts(app, terminal);
  const questions = createQuestionPrompts(app, terminal, true);
  const leave = askElicitations(app, terminal, terminal.interactive);
  const stopDeltas = app.onReplyDelta(
    (delta) => delta.sessionId === sessionId && !delta.thinking && terminal.out(delta.text),
  );
  const stopEvents = app.log.subscribe((events, id) => {
    if (id !== sessionId) return;
    for (const event of events) {
      if (event.type === 'message-sent' && event.lineId !== undefined) beginWaiting(chat, event);
      const line = progressLine(event) ?? controlLine(event);
      if (line !== null) terminal.log(line);
    }
    if (events.some((event) => choosesModel(app, sessionId, event))) chat.model = undefined;
    approvals.onEvents(events);
    plans.onEvents(events);
    questions.onEvents(events);
    workflow.onEvents(events);
  });
  const stop = (): void => {
    stopDeltas();
    stopEvents();
    leave();
    for (const one of [approvals, plans, questions, workflow]) one.close();
  };
  return { workflow, stop };
}

/** Whether a command of the session has chosen another model for the next lines. */
function choosesModel(app: ChatParts, sessionId: string, event: SessionEvent): boolean {
  if (event.type !== 'command-ended' || event.outcome !== 'done') return false;
  const commandId = turnOf(app, sessionId, event.turn)?.command?.commandId;
  return commandId !== undefined && app.plane.command(commandId)?.toolName === setModelTool;
}

/** Formats the control plane's messages for the user: its questions and command results. */
function controlLine(event: SessionEvent): string | null {
  if (event.type === 'question-asked' && event.question.asker === 'router')
    return questionText(event.question);
  if (event.type === 'workflow-step-ended') return `${event.outcome === 'done' ? '✓' : '✗'} ${event.tool}`;
  if (event.type === 'workflow-ended')
    return event.summary === '' ? `workflow ${event.outcome}` : `workflow ${event.outcome}: ${event.summary}`;
  if (event.type === 'command-ended') return event.error ? describeError(event.error) : event.summary;
  return null;
}

/** Waits for the work on a turn; Ctrl+C stops it, and closes what `closed` belongs to. */
async function stoppable<T>(
  { app, terminal }: Chat,
  place: { readonly sessionId: string; readonly turn: number },
  work: Promise<T>,
  closed?: AbortController,
): Promise<T> {
  const unsubscribe = terminal.onInterrupt(() => {
    closed?.abort();
    app.conversation.stop(place.sessionId, place.turn);
  });
  const result = await work;
  unsubscribe();
  return result;
}

/** Lets the user choose when a line opens a picker, and runs the choice. */
async function pick(
  { app, terminal }: Chat,
  sessionId: string,
  turn: number,
  signal?: AbortSignal,
): Promise<TurnReport | null> {
  const state = app.log.state(sessionId);
  const action = state ? turnAt(state, turn)?.route?.action : undefined;
  if (!state || action?.type !== 'open-picker') return null;
  const choice = await terminal.inTurn(() => chooseItem(app, terminal, state, action, signal));
  const taken =
    choice.type === 'item'
      ? await app.lines.choose(sessionId, turn, choice.id)
      : app.lines.closePicker(sessionId, turn, choice.type);
  if (!taken.ok) terminal.log(describeError(taken.error));
  return taken.ok ? taken.value.pending : null;
}

const nextLines = { toContinue: continueLine, toAnswer: 'Your next message answers it.' };

interface Answered {
  readonly run?: EndedRun | undefined;
  readonly reply?: { readonly outcome: string; readonly error?: AppError | undefined } | undefined;
}

/** Prints what is left to say once a line was answered; the text of a reply was printed as it arrived. */
function showAnswer(terminal: Terminal, { run, reply }: Answered): void {
  if (run) printForPeople(terminal, run, nextLines);
  if (!reply) return;
  terminal.out('\n');
  if (reply.outcome === 'stopped') terminal.log('Stopped here.');
  if (reply.error) terminal.log(describeError(reply.error));
}

const showReport = (terminal: Terminal, report: TurnReport | null): void =>
  showAnswer(terminal, report ?? {});

/** Waits for the work on a turn, then prints its answer, unless a line that waited for it has begun. */
async function showWork(
  chat: Chat,
  place: { readonly sessionId: string; readonly turn: number },
  work: Promise<TurnReport | null>,
  closed?: AbortController,
): Promise<void> {
  chat.answering = place.turn;
  const report = await stoppable(chat, place, work, closed);
  if (chat.answering !== place.turn) return;
  chat.answering = null;
  showReport(chat.terminal, report);
}

/** Prints the answer that is still to be printed, from the session. */
function showRecorded(chat: Chat, sessionId: string): void {
  const { app, terminal, answering = null } = chat;
  if (answering === null) return;
  const { run, reply } = turnOf(app, sessionId, answering) ?? {};
  chat.answering = null;
  showAnswer(terminal, {
    run: run && endedRun(run),
    reply: reply && { outcome: reply.status, error: reply.error },
  });
}

/** Shows the line of a turn that begins by itself, after the answer before it. */
function beginTurn(chat: Chat, sessionId: string, turn: number): void {
  if (chat.answering === turn) return;
  showRecorded(chat, sessionId);
  chat.answering = turn;
  const text = turnOf(chat.app, sessionId, turn)?.text;
  if (text !== undefined) chat.terminal.log(`> ${text}`);
}

/** Prints what precedes a line that waited: it begins before the work that it waited for is awaited here. */
function beginWaiting(
  chat: Chat,
  { sessionId, turn }: Extract<SessionEvent, { type: 'message-sent' }>,
): void {
  const { app } = chat;
  // A command takes effect during the work.
  if (app.conversation.inProgress(sessionId)) return;
  const isCommand = turnOf(app, sessionId, turn)?.route?.action.type === 'invoke-command';
  if (isCommand) showRecorded(chat, sessionId);
  else beginTurn(chat, sessionId, turn);
}

async function showLine(chat: Chat, sessionId: string, line: RoutedLine): Promise<void> {
  const { turn, done, routing, opened, windowAction } = line;
  const closed = new AbortController();
  const opensPicker = routing.action.type === 'open-picker';
  const work = opensPicker ? pick(chat, sessionId, turn, closed.signal) : done;
  await showWork(chat, { sessionId, turn }, work, closed);
  if (opened !== undefined) chat.sessionId = opened;
  if (windowAction) await doWindowAction(chat, sessionId, windowAction);
}

/** Starts a new session with the next line. */
function startNewSession(chat: Chat): void {
  chat.sessionId = null;
  chat.terminal.log('Your next message starts a new session.');
}

/** Asks for a new answer to the last answered line. */
async function retry(chat: Chat, sessionId: string): Promise<void> {
  const { app, terminal } = chat;
  const state = app.log.state(sessionId);
  const turn = state && lastAnswered(state)?.turn;
  if (turn === null || turn === undefined) return;
  const model = await modelOf(chat, sessionId);
  const sent = app.conversation.regenerate({ sessionId, turn, model });
  if (!sent.ok) return terminal.log(describeError(sent.error));
  const { turn: newTurn, done } = sent.value;
  await showWork(chat, { sessionId, turn: newTurn }, done);
}

/** Carries out what a line asked the window to do, as far as a terminal can. */
async function doWindowAction(chat: Chat, sessionId: string, call: WindowActionCall): Promise<void> {
  const { app, terminal } = chat;
  const { actionId } = call;
  const fact = recordedFact(call);
  if (fact) {
    const done = app.log.append(sessionId, [fact]);
    if (!done.ok) terminal.log(describeError(done.error));
  } else if (actionId === 'new-session') startNewSession(chat);
  else if (actionId === 'help' || actionId === 'palette') terminal.log(help);
  else if (actionId === 'retry-reply') await retry(chat, sessionId);
  else terminal.log(hintFor(actionId));
}

/** The model that answers the next line of the session. */
const modelOf = async ({ app, model }: Chat, sessionId: string): Promise<ModelRef> =>
  model ?? (await app.chosenModel(sessionId));

/** Routes and records a line under the settings of now; logs why it cannot be sent, and returns null. */
async function send(chat: Chat, sessionId: string, text: string): Promise<RoutedLine | null> {
  const { app, terminal } = chat;
  const { mode, review } = app.settings.get();
  const runMode = app.agentMode.enabled ? mode : 'ask';
  const model = await modelOf(chat, sessionId);
  const ui = terminal.interactive;
  const sent = await app.lines.send({ sessionId, text, runMode, model, ui, review, resumesQueue: true });
  if (sent.ok) return sent.value;
  terminal.log(describeError(sent.error));
  return null;
}

async function answer(chat: Chat, sessionId: string, text: string): Promise<void> {
  const sent = await send(chat, sessionId, text);
  // Follow with the lines that waited for this answer.
  for (let line = sent ?? undefined; line; line = line.next) await showLine(chat, sessionId, line);
}

/** Sends a line that was typed during work: it waits for the work, or the host handles it immediately. */
async function sendMeanwhile(chat: Chat, sessionId: string, text: string): Promise<void> {
  const { app, terminal } = chat;
  const empty = await emptyList(chat, text.trim());
  if (empty !== null) return terminal.log(empty);
  const line = await send(chat, sessionId, text);
  if (!line) return;
  const { turn, lineId, routing, opened, windowAction } = line;
  const waiting = app.log.state(sessionId)?.queue?.lines ?? [];
  const at = waiting.findIndex((one) => one.lineId === lineId) + 1;
  if (at > 0)
    terminal.log(`This message waits. /now ${at} uses it immediately; /withdraw ${at} removes it.`, 'quiet');
  if (routing.action.type === 'open-picker') showReport(terminal, await pick(chat, sessionId, turn));
  if (opened !== undefined) chat.sessionId = opened;
  if (windowAction) await doWindowAction(chat, sessionId, windowAction);
}

/**
 * Takes the lines that the user types while a session works, until `stop`. `sent` resolves when the lines typed
 * so far are recorded, to true when there were any.
 */
function takeTyped(chat: Chat, sessionId: string) {
  let sending: Promise<void> | null = null;
  const stop = chat.terminal.onTyped((line) => {
    const word = line.trimEnd();
    // What acts on the last answer waits for it.
    if (afterWork.has(word)) return false;
    if (word !== '' && !runHere(chat, word)) {
      const before = sending ?? Promise.resolve();
      sending = before.then(() => sendMeanwhile(chat, sessionId, line));
    }
    return true;
  });
  const sent = async (): Promise<boolean> => {
    const now = sending;
    sending = null;
    await now;
    return now !== null;
  };
  return { sent, stop };
}

/** The lines that wait in the session, numbered as `/withdraw` takes them. */
function queueText({ app, sessionId }: Chat): string {
  const queue = sessionId === null ? undefined : app.log.state(sessionId)?.queue;
  if (!queue) return 'No message waits.';
  const { lines, paused } = queue;
  const head = `${lines.length} ${lines.length === 1 ? 'message waits' : 'messages wait'}`;
  const next = paused === true ? ', paused. Your next message continues them; ' : '; ';
  const rows = lines.map(({ text, when, held: isHeld }, at) => {
    const place = when === 'stage' ? 'next' : when;
    return `  ${at + 1}. (${isHeld ? 'being edited in the app' : place}) ${text}`;
  });
  const edited = lines.findIndex((line) => line.held) + 1;
  const waits = `Message ${edited} and what follows it wait until that edit ends; /next ${edited} ends it.`;
  return [`${head}${next}/withdraw 1 removes the first.`, ...rows, ...(edited > 0 ? [waits] : [])].join('\n');
}

/** What the commands for waiting lines do, with the words that say it is done. */
const queueCommands: ReadonlyMap<string, { readonly when: QueueTime | null; readonly done: string }> =
  new Map([
    ['/withdraw', { when: null, done: 'Withdrawn' }],
    ['/now', { when: 'now', done: 'Used now' }],
    ['/next', { when: 'stage', done: 'Comes next' }],
    ['/after', { when: 'after', done: 'Waits for the end of the run' }],
  ]);

/** Carries out a command for the waiting line with a number; false for any other text. */
function changeQueue({ app, terminal, sessionId }: Chat, text: string): boolean {
  const [, name = '', number] = /^(\/[a-z]+)(?:\s+(\d+))?$/.exec(text) ?? [];
  const command = queueCommands.get(name);
  if (!command) return false;
  if (number === undefined) {
    terminal.log(`${name} needs the number of a waiting message, as in ${name} 1. /queue lists them.`);
    return true;
  }
  const queue = sessionId === null ? undefined : app.log.state(sessionId)?.queue;
  const line = queue?.lines[Number(number) - 1];
  if (sessionId === null || !line) {
    terminal.log(`There is no waiting message ${number}. /queue lists them.`);
    return true;
  }
  const { when, done } = command;
  const place = { sessionId, lineId: line.lineId };
  const changed =
    when === null
      ? app.conversation.withdrawLine(place)
      : app.conversation.editLine({ ...place, when, held: false });
  terminal.log(changed.ok ? `${done}: ${line.text}` : describeError(changed.error));
  return true;
}

/** Follows the turns that begin by themselves: waiting lines, and a line that continues a workflow. */
async function untilIdle(chat: Chat, sessionId: string): Promise<void> {
  const { app } = chat;
  for (let now = app.conversation.inProgress(sessionId); now; now = app.conversation.inProgress(sessionId)) {
    const { turn, ended } = now;
    beginTurn(chat, sessionId, turn);
    await stoppable(chat, { sessionId, turn }, ended);
    if (chat.answering === turn) showRecorded(chat, sessionId);
  }
  showRecorded(chat, sessionId);
}

function turnOf(app: ChatParts, sessionId: string, turn: number) {
  const state = app.log.state(sessionId);
  return state ? turnAt(state, turn) : undefined;
}

/**
 * Sends a line, then asks for its workflow's inputs, and for a choice after an error, for as long as the
 * workflow needs the user.
 */
async function converse(chat: Chat, workflow: WorkflowPrompts, text: string): Promise<void> {
  const { app, terminal, sessionId } = chat;
  if (sessionId === null) return;
  await answer(chat, sessionId, text);
  await workflow.finished();
  await untilIdle(chat, sessionId);
  const choice = await askHowToGoOn(app, terminal, sessionId);
  if (choice === 'retry') await converse(chat, workflow, retryLine);
}

async function sendLine(chat: Chat, text: string): Promise<void> {
  const opened = openSession(chat.app, chat.sessionId ?? undefined);
  if (!opened.ok) {
    chat.terminal.log(describeError(opened.error));
    return;
  }
  chat.sessionId = opened.value.id;
  const { workflow, stop } = follow(chat, opened.value.id);
  // A workflow started earlier may still wait for inputs.
  workflow.ask(opened.value.id);
  await workflow.finished();
  const typedLines = takeTyped(chat, opened.value.id);
  await converse(chat, workflow, text);
  // A line typed at the very end may have started a turn of its own.
  while (await typedLines.sent()) await untilIdle(chat, opened.value.id);
  typedLines.stop();
  stop();
}

/**
 * Sends one line as `patina chat` does: prints the reply as it arrives, asks the questions of workflows and tools,
 * and resolves when nothing is in progress. `provided`: inputs for the workflow that the line starts.
 */
export const chatLine = (
  app: ChatParts,
  terminal: Terminal,
  line: { readonly sessionId: string; readonly text: string; readonly provided: JsonObject },
): Promise<void> =>
  sendLine(
    {
      app,
      terminal,
      sessionId: line.sessionId,
      ...(Object.keys(line.provided).length > 0 && { provided: line.provided }),
    },
    line.text,
  );

/** The newest turn of the session, if its line ran a command. */
function lastCommand({ app, sessionId }: Chat) {
  const state = sessionId === null ? null : app.log.state(sessionId);
  const turn = state ? headTurn(state) : undefined;
  return state && turn?.command ? { state, turn, command: turn.command } : null;
}

/** Runs the command that takes back what the last line's command changed. */
async function takeBack(chat: Chat): Promise<void> {
  const { app, terminal } = chat;
  const last = lastCommand(chat);
  const undo = last?.command.undo;
  const row =
    last && undo && app.plane.view(last.state).commands.find((one) => one.commandId === undo.commandId);
  if (!undo || row?.slash === undefined)
    terminal.log('The last message changed nothing that can be taken back.');
  else await sendLine(chat, `/${row.slash} ${undo.id}`);
}

/** Sends the last line to the model, although a command handled it. */
async function sendInstead(chat: Chat): Promise<void> {
  const { app, terminal } = chat;
  const last = lastCommand(chat);
  if (!last) return terminal.log('The last line ran no command.');
  const { turn } = last.turn;
  const place = { sessionId: last.state.id, turn };
  const { stop } = follow(chat, place.sessionId);
  const sent = app.lines.closePicker(place.sessionId, turn, 'model');
  if (sent.ok) await showWork(chat, place, Promise.resolve(sent.value.pending));
  else terminal.log(describeError(sent.error));
  stop();
}

/** Whether the word after a slash is a command of the session's mode. */
function isSlash({ app, sessionId }: Chat, name: string): boolean {
  const state = sessionId === null ? null : app.log.state(sessionId);
  return app.plane.view(state).commands.some((command) => slashNames(command).includes(name));
}

/** The commands that wait until the session is idle, with all lines typed after them. */
const afterWork: ReadonlySet<string> = new Set(['/back', '/instead', '/new', '/quit']);

/** Carries out a command of the chat itself, or says that there is none; false when the line is to be sent. */
function runHere(chat: Chat, word: string): boolean {
  const command = slashCommands.get(word);
  command?.(chat);
  if (command || changeQueue(chat, word)) return true;
  const isUnknown = /^\/[a-z-]+$/.test(word) && !isSlash(chat, word.slice(1));
  if (isUnknown)
    chat.terminal.log(
      `There is no ${word}; /help lists the commands. Put a space before it to send it as text.`,
    );
  return isUnknown;
}

async function submitLine(chat: Chat, line: string): Promise<void> {
  const word = line.trimEnd();
  if (word === '/back') await takeBack(chat);
  else if (word === '/instead') await sendInstead(chat);
  else if (word !== '' && !runHere(chat, word)) {
    const empty = await emptyList(chat, word);
    if (empty === null) await sendLine(chat, line);
    else chat.terminal.log(empty);
  }
}

/**
 * Why a slash alone would open an empty list; null when the line should be sent. Opening the list starts the
 * servers behind it.
 */
async function emptyList({ app, terminal, sessionId }: Chat, word: string): Promise<string | null> {
  if (!/^\/[a-z][a-z-]*$/.test(word)) return null;
  const state = sessionId === null ? null : app.log.state(sessionId);
  return whyEmpty(app, terminal, state, word.slice(1));
}

async function takeLines(chat: Chat): Promise<void> {
  const next = () => chat.terminal.readLine(chat.app.settings.get().mode === 'ask' ? 'ask> ' : 'agent> ');
  for (let line = await next(); line !== null && line.trim() !== '/quit'; line = await next()) {
    await submitLine(chat, line);
  }
}

export interface ChatOptions {
  readonly session?: string | undefined;
  readonly model?: string;
}

const givenModel = async (
  app: ChatParts,
  { model, session }: ChatOptions,
): Promise<Result<ModelRef | undefined>> =>
  model === undefined ? ok(undefined) : modelNamed(app, model, session);

/**
 * `patina chat`: the same conversation in a terminal or over a pipe, line by line. A named model answers in this chat
 * until a line chooses another; the setting stays.
 */
export async function chatCommand(
  app: ChatParts & Pick<App, 'controlSocket'>,
  terminal: Terminal,
  options: ChatOptions,
): Promise<ExitCode> {
  const { session } = options;
  const model = await givenModel(app, options);
  if (!model.ok) return fail(terminal, model.error);
  const named = session === undefined ? null : openNamedSession(app, terminal, session);
  if (named && !named.ok) return fail(terminal, named.error);
  const folder = named ? named.value.project : app.project();
  terminal.log(
    `Patina · ${folder ?? 'no project folder (name one with --project DIR)'} · /help for commands`,
  );
  await app.controlSocket.serve();
  const chat: Chat = { app, terminal, sessionId: named?.value.id ?? null, model: model.value };
  if (named?.value.queue) terminal.log(queueText(chat));
  await takeLines(chat);
  if (terminal.interactive) terminal.log('');
  return 0;
}
