import type { PendingElicitation, ElicitAnswer, ElicitField } from '#shared/elicitation';
import { elicitContent, initialInputs, type FieldInput } from '#shared/elicitation-check';
import type { App } from '../app';
import { optionFrom, yesOrNo, yesOrNoHint } from './ask-question';
import { describeError, type Terminal } from './output';

type Ask = (prompt: string) => Promise<string | null>;
const cancel: ElicitAnswer = { action: 'cancel' };

function hintOf(field: ElicitField): string {
  const kinds = { text: 'text', number: 'number', 'yes-no': 'yes or no', 'one-of': 'a number or a name' };
  const kind = field.kind === 'some-of' ? 'numbers or names, with commas between' : kinds[field.kind];
  return field.required ? kind : `${kind}; may be left empty`;
}

/** Formats a field and its options for a terminal. */
function fieldText(field: ElicitField, before: FieldInput): string {
  const options = 'options' in field ? field.options : [];
  const stands = typeof before === 'string' ? before : before.join(', ');
  return [
    `${field.label} (${hintOf(field)})`,
    ...(field.description === '' ? [] : [`  ${field.description}`]),
    ...options.map(({ label }, index) => `  ${index + 1}  ${label}`),
    ...(stands === '' ? [] : [`  Press Enter for “${stands}”.`]),
  ].join('\n');
}

/** Converts a line to the chosen options; text that names no option stays as it is and fails validation. */
function typedFrom(field: ElicitField, line: string, terminal: Terminal): FieldInput {
  if (field.kind === 'yes-no') {
    const answer = yesOrNo(line, terminal);
    return answer === undefined ? line : answer ? 'yes' : 'no';
  }
  if (!('options' in field)) return line;
  const labels = field.options.map(({ label }) => label);
  const valueOf = (reply: string): string => {
    const label = optionFrom(reply, labels);
    return field.options.find((option) => option.label === label)?.value ?? reply.trim();
  };
  return field.kind === 'one-of' ? valueOf(line) : line.split(',').map(valueOf);
}

/** Asks for one field until it is valid; null at the end of the input. */
async function askField(terminal: Terminal, ask: Ask, field: ElicitField): Promise<FieldInput | null> {
  const before = initialInputs([field])[field.name] ?? '';
  terminal.log(fieldText(field, before));
  for (;;) {
    const line = await ask(`${field.name}: `);
    if (line === null) return null;
    const input = line.trim() === '' ? before : typedFrom(field, line, terminal);
    const problem = elicitContent([field], { [field.name]: input }).problems[field.name];
    if (problem === undefined) return input;
    terminal.log(field.kind === 'yes-no' && line.trim() !== '' ? yesOrNoHint(terminal) : problem);
  }
}

/** Asks whether to answer at all, until the line is a yes or a no; empty means no, null the end of the input. */
async function askToAnswer(terminal: Terminal, ask: Ask): Promise<boolean | null> {
  for (;;) {
    const line = await ask('Answer it? [y/N] ');
    if (line === null) return null;
    const agreed = line.trim() === '' ? false : yesOrNo(line, terminal);
    if (agreed !== undefined) return agreed;
    terminal.log(yesOrNoHint(terminal));
  }
}

async function fillIn(
  terminal: Terminal,
  ask: Ask,
  { fields, server, message }: PendingElicitation['request'],
): Promise<ElicitAnswer> {
  terminal.log(`\nThe server ${server} asks:\n  ${message.replaceAll('\n', '\n  ')}`);
  const agreed = await askToAnswer(terminal, ask);
  if (agreed === null) return cancel;
  if (!agreed) return { action: 'decline' };
  const inputs: Record<string, FieldInput> = {};
  for (const field of fields) {
    const one = await askField(terminal, ask, field);
    if (one === null) return cancel;
    inputs[field.name] = one;
  }
  return { action: 'accept', content: elicitContent(fields, inputs).content };
}

/**
 * Asks the terminal user the servers' questions, one field at a time; returns a function that stops it.
 * Without a terminal nobody subscribes, and servers are declined at once.
 */
export function askElicitations(
  app: Pick<App, 'elicitations'>,
  terminal: Terminal,
  reads: boolean,
): () => void {
  if (!reads) return () => undefined;
  const open = new Map<string, AbortController>();
  const ask = async ({ id, request }: PendingElicitation, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return;
    const answer = await fillIn(
      terminal,
      (prompt) => terminal.readLine(prompt, { signal, discardTypeahead: true }),
      request,
    );
    // The request ended while the user was answering.
    if (signal.aborted) return terminal.log('The server no longer waits for this answer.');
    const taken = app.elicitations.answer(id, answer);
    if (!taken.ok) terminal.log(describeError(taken.error));
  };
  return app.elicitations.subscribe({
    onAsked(elicitation) {
      const over = new AbortController();
      open.set(elicitation.id, over);
      void terminal.inTurn(() => ask(elicitation, over.signal));
    },
    over(id) {
      open.get(id)?.abort();
      open.delete(id);
    },
  });
}
