import { createInterface, type Interface } from 'node:readline/promises';
import type { RunMode } from '#shared/run-mode';
import type { App } from '../../compose';
import { answerOnTerminal } from '../ask-approval';
import { openSession } from '../open-session';
import { describeError, fail, type ExitCode, type Terminal } from '../output';
import { progressLine } from '../run-report';

const help = [
  '/ask      answer the next lines with the model',
  '/agent    run the next lines as goals in Agent Mode',
  '/recipes  what runs with no model',
  '/new      a new session',
  '/quit     leave (Ctrl+D works too); Ctrl+C stops what is under way',
].join('\n');

interface Chat {
  readonly app: App;
  readonly terminal: Terminal;
  sessionId: string;
  mode: RunMode;
}

function newSession(chat: Chat): void {
  const created = chat.app.log.create(chat.app.project());
  if (created.ok) chat.sessionId = created.value.id;
  chat.terminal.log(created.ok ? 'A new session.' : describeError(created.error));
}

function setMode(chat: Chat, mode: RunMode): void {
  if (mode === 'agent' && !chat.app.agentMode.enabled) {
    chat.terminal.log(chat.app.agentMode.reason ?? 'Agent Mode is switched off.');
    return;
  }
  chat.mode = mode;
  chat.app.settings.patch({ mode });
  chat.terminal.log(mode === 'ask' ? 'Ask: lines go to the model.' : 'Agent Mode: lines are goals.');
}

const slashCommands: Readonly<Record<string, (chat: Chat) => void>> = {
  '/help': ({ terminal }) => terminal.log(help),
  '/ask': (chat) => setMode(chat, 'ask'),
  '/agent': (chat) => setMode(chat, 'agent'),
  '/new': newSession,
  '/recipes': ({ app, terminal }) =>
    terminal.log(app.recipes.map((recipe) => `${recipe.title}: “${recipe.example ?? recipe.id}”`).join('\n')),
};

async function sendLine(chat: Chat, text: string): Promise<void> {
  const { app, terminal, sessionId } = chat;
  const runMode = app.agentMode.enabled ? chat.mode : 'ask';
  const sent = app.conversation.send({ sessionId, text, runMode, model: await app.chosenModel() });
  if (!sent.ok) {
    terminal.log(describeError(sent.error));
    return;
  }
  const stop = (): void => void app.conversation.stop(sessionId, sent.value.turn);
  process.on('SIGINT', stop);
  const report = await sent.value.done;
  process.off('SIGINT', stop);
  if (report?.runMode === 'agent') terminal.out(`${report.run.answer}\n`);
  if (report?.runMode === 'ask') {
    terminal.out('\n');
    if (report.reply.error) terminal.log(describeError(report.reply.error));
  }
}

function listen(chat: Chat): () => void {
  const { app, terminal } = chat;
  const stopDeltas = app.onReplyDelta(
    (delta) => delta.sessionId === chat.sessionId && terminal.out(delta.text),
  );
  const stopEvents = app.log.subscribe((events, id) => {
    if (id !== chat.sessionId) return;
    for (const line of events.map(progressLine)) if (line !== null) terminal.log(line);
    answerOnTerminal(app, terminal, events);
  });
  return () => {
    stopDeltas();
    stopEvents();
  };
}

async function readLine(chat: Chat): Promise<string | null> {
  const reader: Interface = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<null>((resolve) => reader.once('close', () => resolve(null)));
  const line = await Promise.race([reader.question(chat.mode === 'ask' ? 'ask> ' : 'agent> '), closed]).catch(
    () => null,
  );
  reader.close();
  return line;
}

/** `patina chat`: the same conversation in a terminal. */
export async function chatCommand(
  app: App,
  terminal: Terminal,
  session: string | undefined,
): Promise<ExitCode> {
  const opened = openSession(app, session);
  if (!opened.ok) return fail(terminal, opened.error);
  const chat: Chat = { app, terminal, sessionId: opened.value.id, mode: app.settings.get().mode };
  const project = opened.value.project ?? 'no project folder (name one with --project DIR)';
  terminal.log(`Patina · ${project} · /help for commands`);
  const stopListening = listen(chat);
  for (
    let line = await readLine(chat);
    line !== null && line.trim() !== '/quit';
    line = await readLine(chat)
  ) {
    const command = slashCommands[line.trim()];
    if (command) command(chat);
    else if (line.trim() !== '') await sendLine(chat, line);
  }
  stopListening();
  return 0;
}
