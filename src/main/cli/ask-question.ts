import type { Language } from '#shared/language';
import type { SessionEvent } from '#shared/session-event';
import type { App } from '../app';
import { describeError, type Terminal } from './output';

type QuestionEvent = Extract<SessionEvent, { type: 'question-asked' }>;

/** Resolves a choice by its number or its text; null when it is neither. */
export function optionFrom(line: string, options: readonly string[]): string | null {
  const answer = line.trim().toLowerCase();
  const byNumber = /^\d{1,3}$/.test(answer) ? options[Number(answer) - 1] : undefined;
  return byNumber ?? options.find((option) => option.toLowerCase() === answer) ?? null;
}

const yesAndNo: Readonly<Record<Language, readonly [yes: RegExp, no: RegExp]>> = {
  en: [/^y(es)?$/i, /^no?$/i],
  de: [/^(y(es)?|ja?)$/i, /^(no?|nein)$/i],
};

/** The yes (true) or no of a line; a German terminal takes both languages. Undefined for any other text. */
export function yesOrNo(line: string, { language }: Pick<Terminal, 'language'>): boolean | undefined {
  const [yes, no] = yesAndNo[language];
  const answer = line.trim();
  if (yes.test(answer)) return true;
  return no.test(answer) ? false : undefined;
}

/** Says what `yesOrNo` takes. */
export const yesOrNoHint = ({ language }: Pick<Terminal, 'language'>): string =>
  language === 'de' ? 'Type y, yes, j or ja, or n, no or nein.' : 'Type y or yes, or n or no.';

/** Formats a question and its numbered options for a terminal. */
export function questionText({ text, detail, call, options }: QuestionEvent['question']): string {
  const list = options.map((option, index) => `  ${index + 1}  ${option}`);
  const exact = call ? [call.tool, JSON.stringify(call.arguments, null, 2)] : [];
  return [text, ...(detail === undefined ? [] : [detail]), ...exact, ...list].join('\n');
}

/**
 * Asks one question at a time. When nobody can be asked (`reads` is false), and at the end of the input, it
 * answers with the last option, which changes nothing.
 */
export function createQuestionPrompts(
  app: Pick<App, 'lines'>,
  terminal: Terminal,
  reads: boolean,
  /** Answers questions about a tool call instead of the user. */
  approve: 'all' | 'none' | 'ask' = 'ask',
) {
  const closed = new AbortController();

  const choose = async ({ question }: QuestionEvent): Promise<string> => {
    const nothing = question.options.at(-1) ?? '';
    const isPreset = question.call !== undefined && approve !== 'ask';
    if (isPreset) return approve === 'all' ? (question.options[0] ?? nothing) : nothing;
    if (!reads) return nothing;
    for (;;) {
      const line = await terminal.readLine('Choose: ', { signal: closed.signal, discardTypeahead: true });
      if (line === null) return nothing;
      const option = optionFrom(line, question.options);
      if (option !== null) return option;
      terminal.log('Type one of the numbers.');
    }
  };

  const ask = async (event: QuestionEvent): Promise<void> => {
    if (closed.signal.aborted) return;
    if (!terminal.json) terminal.log(`\n${questionText(event.question)}`);
    const option = await choose(event);
    if (closed.signal.aborted) return;
    const { sessionId, turn: position, question } = event;
    const place = { sessionId, turn: position, questionId: question.questionId, option };
    const answered = await app.lines.answer(place);
    if (!answered.ok) terminal.log(describeError(answered.error));
  };

  return {
    onEvents(events: readonly SessionEvent[]): void {
      for (const event of events) {
        if (event.type === 'question-asked' && event.question.asker === 'model') {
          void terminal.inTurn(() => ask(event));
        }
      }
    },
    close: (): void => closed.abort(),
  };
}
