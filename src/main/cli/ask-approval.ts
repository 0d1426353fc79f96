import { createInterface } from 'node:readline/promises';
import type { SessionEvent } from '#shared/session-event';
import type { App } from '../compose';
import type { Terminal } from './output';

/** One question at a time: two prompts on one terminal would read each other's answer. */
let turn: Promise<unknown> = Promise.resolve();

async function askOne(
  app: App,
  terminal: Terminal,
  event: Extract<SessionEvent, { type: 'approval-requested' }>,
) {
  terminal.log(`\n${event.tool} wants to make this change:\n${JSON.stringify(event.arguments, null, 2)}`);
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await reader.question('Approve exactly this? [y/N] ').finally(() => reader.close());
  app.answerApproval(event.approvalId, event.hash, /^y(es)?$/i.test(answer.trim()));
}

/** Puts each approval a run asks for to the person at the terminal, with its exact arguments; anything but yes is no. */
export function answerOnTerminal(app: App, terminal: Terminal, events: readonly SessionEvent[]): void {
  for (const event of events) {
    if (event.type === 'approval-requested') turn = turn.then(() => askOne(app, terminal, event));
  }
}
