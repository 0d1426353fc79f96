import type { SessionEvent } from '#shared/session-event';
import type { App } from '../app';
import { describeError, type Terminal } from './output';

/** Puts the host's open questions of one session to the person at the terminal. */
export interface QuestionDesk {
  readonly close: () => void;
}

/** A choice by its number or its words; null when it is neither. */
export function optionFrom(line: string, options: readonly string[]): string | null {
  const said = line.trim().toLowerCase();
  const byNumber = /^\d{1,3}$/.test(said) ? options[Number(said) - 1] : undefined;
  return byNumber ?? options.find((option) => option.toLowerCase() === said) ?? null;
}

async function ask(app: App, terminal: Terminal, event: SessionEvent & { type: 'question-asked' }) {
  const { sessionId, turn, question } = event;
  const { questionId, text, detail, options } = question;
  terminal.log([text, ...(detail === undefined ? [] : [detail])].join('\n'));
  const list = options.map((option, index) => `  ${index + 1}  ${option}`).join('\n');
  for (;;) {
    terminal.log(list);
    const line = await terminal.readLine('> ');
    // Nobody is there any more: the last option is the one that changes nothing.
    const option = line === null ? (options.at(-1) ?? '') : optionFrom(line, options);
    if (option === null) continue;
    const answered = await app.lines.answer({ sessionId, turn, questionId, option });
    if (!answered.ok) terminal.log(describeError(answered.error));
    return;
  }
}

/** Asks at a terminal; over a pipe nobody can be asked, and a question stays open until its call is given up. */
export function createQuestionDesk(app: App, terminal: Terminal, sessionId: string): QuestionDesk {
  const stop = app.log.subscribe((events, id) => {
    if (id !== sessionId || !terminal.interactive) return;
    for (const event of events) {
      if (event.type === 'question-asked' && event.question.asker === 'model') void ask(app, terminal, event);
    }
  });
  return { close: stop };
}
