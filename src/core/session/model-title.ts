import { z } from 'zod';
import { localProviderId } from '#shared/local-model';
import type { ModelRef } from '#shared/model';
import { turnAt, type SessionState } from '#shared/session-state';
import { activePath } from '#shared/turn-tree';
import type { Clock } from '../ports/clock';
import type { ModelClient, ModelMessage, ModelRequest } from '../ports/llm';
import { createCallUsage, type TokenEstimate } from '../tools/model-usage';
import type { SessionLog } from './session-log';
import { maxTitleLength, titleFrom } from './session-title';

interface TitleDeps {
  readonly log: Pick<SessionLog, 'state' | 'append'>;
  readonly models: Pick<ModelClient, 'stream'>;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly estimate: TokenEstimate;
}

/** A turn that was just answered, with the request that it was answered from. */
interface AnsweredTurn {
  readonly sessionId: string;
  readonly turn: number;
  readonly model: ModelRef;
  readonly sent: Pick<ModelRequest, 'messages' | 'tools'>;
  readonly reply: string;
}

const Reply = z.strictObject({ title: z.string() });
const schema = {
  type: 'object',
  properties: { title: { type: 'string', maxLength: maxTitleLength } },
  required: ['title'],
  additionalProperties: false,
};
const task =
  'Write a title for this conversation in its language: two to six words that say what it is about. Answer with JSON: {"title": "…"}';
/** A title in any script is shorter. */
const maxTokens = 120;
/** A title that did not come, such as of a reply that the next message stopped, is asked for again until here. */
const maxAnswered = 3;

/** The words of a text; the first letters of each, so that its forms are equal. */
function wordsOf(text: string): readonly string[] {
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text.toLowerCase());
  return [...segments].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [[...segment].slice(0, 4).join('')] : [],
  );
}

/**
 * A model's title as a session's title: one line of at most 60 characters without quotation marks. Null when it is
 * empty, repeats itself, or has no word of the conversation. Pure.
 */
export function cleanTitle(written: string, conversation: string): string | null {
  const plain = written
    .replaceAll(/[\p{Cc}\p{Cf}\uFFFD\s]+/gu, ' ')
    .replaceAll(/["“”„‟«»`*_#]+/g, '')
    .trim()
    .replace(/^(title|titel)\s*:\s*/i, '')
    .replace(/^'(.*)'$/, '$1')
    .replace(/[\s.,;:]+$/, '');
  const words = wordsOf(plain);
  const known = new Set(wordsOf(conversation));
  const named = words.some((word) => /\p{L}/u.test(word) && known.has(word));
  return named && new Set(words).size * 2 >= words.length ? titleFrom(plain) : null;
}

/** Whether a session's title is that of one of its lines, and the session has just begun. */
function wantsTitle(state: SessionState): boolean {
  const path = activePath(state);
  const answered = path.filter(({ reply }) => reply?.status === 'done').length;
  return answered <= maxAnswered && path.some(({ text }) => titleFrom(text) === state.title);
}

/** The title in a reply of the model; null when it is no title. */
function titleIn(reply: string, conversation: string): string | null {
  try {
    const read = Reply.safeParse(JSON.parse(reply));
    return read.success ? cleanTitle(read.data.title, conversation) : null;
  } catch {
    return null;
  }
}

/**
 * Titles new sessions by the model on this computer that answers in them. Other models are not asked: the user did not
 * request it. It works in the background: any other request to the model stops it.
 */
export function createModelTitles({ log, models, clock, estimate }: TitleDeps) {
  const closed = new AbortController();
  const running = new Set<Promise<void>>();

  const ask = async ({ sessionId, turn, model, sent, reply }: AnsweredTurn): Promise<void> => {
    // It continues the conversation, so that the model finds all of it in its cache, now and at the next message.
    const messages: readonly ModelMessage[] = [
      ...sent.messages,
      { role: 'assistant', content: reply },
      { role: 'user', content: task },
    ];
    const request: ModelRequest = {
      ...sent,
      model,
      messages,
      background: true,
      maxOutputTokens: maxTokens,
      responseFormat: { type: 'json', schema },
    };
    const spent = createCallUsage(request, estimate);
    const began = clock.elapsed();
    let text = '';
    let failure: string | undefined;
    for await (const event of models.stream(request, closed.signal)) {
      spent.observe(event);
      if (event.type === 'text') text += event.text;
      if (event.type === 'error') failure = `${event.error.kind}/${event.error.code}`;
    }
    const state = log.state(sessionId);
    const usage = spent.usage();
    if (!state || closed.signal.aborted || usage.modelTurns === 0) return;
    const title = titleIn(text, `${turnAt(state, turn)?.text ?? ''} ${reply}`);
    const ms = clock.elapsed() - began;
    log.append(sessionId, [
      {
        type: 'model-called',
        turn,
        part: 'title',
        model,
        usage,
        ms,
        ...(failure !== undefined && { failure }),
      },
      // The user may have named the session meanwhile.
      ...(title !== null && wantsTitle(state) ? [{ type: 'session-renamed' as const, title }] : []),
    ]);
  };

  return {
    /** Begins to title the session of this turn, if it still has the title of a line. */
    afterReply(answered: AnsweredTurn): void {
      const state = log.state(answered.sessionId);
      if (answered.model.providerId !== localProviderId || !state || !wantsTitle(state)) return;
      const work = ask(answered).finally(() => running.delete(work));
      running.add(work);
    },
    /** Stops the titles under way. */
    async close(): Promise<void> {
      closed.abort();
      await Promise.all(running);
    },
  };
}
