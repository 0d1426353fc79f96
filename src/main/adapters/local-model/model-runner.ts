import { appError, type AppError } from '#shared/app-error';
import type { LocalModel } from '#shared/local-model';
import { memoryShare } from '#shared/local-model';
import type { Clock } from '../../../core/ports/clock';
import type { ModelEvent } from '../../../core/ports/llm';
import { FromModelProcess, type ModelProcess, type StartLocalModel, type ToModelProcess } from './messages';

/** What the computer has, now. */
export interface Machine {
  readonly cores: number;
  /** The average number of processes that wanted a processor in the last minute; 0 where unknown. */
  readonly load: () => number;
  /** Bytes that a new process can have. */
  readonly freeMemory: () => number;
}

export interface RunnerDeps {
  readonly start: StartLocalModel;
  readonly machine: Machine;
  readonly clock: Clock;
  /** A model that wrote nothing for this long is unloaded. */
  readonly idleMs?: number;
  /** A stopped reply that has not ended by then ends with its process. */
  readonly stopMs?: number;
}

export type ReplyBody = Omit<Extract<ToModelProcess, { type: 'reply' }>, 'type' | 'id'>;
type ModelFile = Pick<LocalModel, 'name' | 'bytes' | 'contextTokens'> & { readonly path: string };

const idleMs = 5 * 60_000;
const stopMs = 3_000;
/** A model that is not loaded by then never will be. */
const loadMs = 5 * 60_000;
/** A killed process that has not ended by then is not waited for any longer. */
const exitMs = 5_000;

/** At most all cores but one; one while others work, because waiting threads starve each other. */
export const threadsFor = ({ cores, load }: Machine): number =>
  load() > cores / 2 ? 1 : Math.max(1, cores - 1);

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

const failed = (message: string, hint: string, retryable = false): AppError =>
  appError('LLM', 'UNAVAILABLE', message, { hint, retryable });

/** LLM/UNAVAILABLE: the memory that is there is not enough for a model. */
export const tooLittleMemory = (
  { name, bytes }: Pick<ModelFile, 'name' | 'bytes'>,
  there: number,
): AppError =>
  failed(
    `The model ${name} needs about ${gigabytes(bytes * memoryShare)} of memory, and there are ${gigabytes(there)}.`,
    'Close other programs, or choose a smaller model.',
  );

const died = (name: string): AppError =>
  failed(`The model ${name} ended while it worked.`, 'Send the message again; the model starts again.', true);

const loadsTooLong = (name: string): AppError =>
  failed(`The model ${name} did not load in time.`, 'Close other programs, or choose a smaller model.');

const notStarted = (name: string, thrown: unknown): AppError =>
  failed(
    `The process of the model ${name} could not be started: ${String(thrown).slice(0, 300)}`,
    'Close other programs, and send the message again.',
    true,
  );

export const stopped = appError('HOST', 'CANCELLED', 'Stopped.');

const cutOff = appError('LLM', 'CONTEXT_LIMIT', 'The reply stops here: the model reached its output limit.', {
  hint: 'Ask it to continue, or request a shorter answer.',
});

const tooLong = (name: string): AppError =>
  appError('LLM', 'CONTEXT_LIMIT', `This conversation is longer than ${name} can read.`, {
    hint: 'Summarise the conversation with /compact, or choose another model.',
  });

interface Running {
  readonly path: string;
  readonly process: ModelProcess;
  /** Null once the model is loaded. */
  readonly loaded: Promise<AppError | null>;
  readonly ended: Promise<void>;
  /** Receives what the process says about a reply; null: the process ended. */
  listener: (message: FromModelProcess | null) => void;
}

export type ModelRunner = ReturnType<typeof createModelRunner>;

/**
 * Runs one local model at a time in its own process: loads it for the first reply, unloads it when nobody uses it,
 * and starts it again after it ended. Replies wait for each other.
 */
export function createModelRunner(deps: RunnerDeps) {
  const { clock, machine } = deps;
  let running: Running | null = null;
  let before: Promise<unknown> = Promise.resolve();
  /** Resolves when the process before has ended: until then, its memory is not free. */
  let gone: Promise<void> = Promise.resolve();
  let cancelIdle = (): void => undefined;
  let lastId = 0;
  /** Stops the reply in the background. */
  let interrupt = (): void => undefined;

  const unload = (): void => {
    cancelIdle();
    const left = running;
    running = null;
    if (left === null) return;
    gone = new Promise((resolve) => {
      const cancel = clock.after(exitMs, resolve);
      void left.ended.then(cancel).then(resolve);
    });
    left.process.kill();
  };

  const start = (model: ModelFile): Running => {
    const process = deps.start();
    let resolveLoaded: (error: AppError | null) => void = () => undefined;
    const loaded = new Promise<AppError | null>((resolve) => (resolveLoaded = resolve));
    let resolveEnded = (): void => undefined;
    const ended = new Promise<void>((resolve) => (resolveEnded = resolve));
    const begun: Running = { path: model.path, process, loaded, ended, listener: () => undefined };
    running = begun;
    const cancelLoad = clock.after(loadMs, () => end(loadsTooLong(model.name)));
    void loaded.then(cancelLoad);
    const end = (error: AppError): void => {
      if (running === begun) unload();
      else process.kill();
      resolveLoaded(error);
      begun.listener(null);
    };
    process.onExit(() => {
      resolveEnded();
      end(died(model.name));
    });
    process.onMessage((raw) => {
      const parsed = FromModelProcess.safeParse(raw);
      if (!parsed.success) return end(died(model.name));
      const message = parsed.data;
      if (message.type === 'loaded') return resolveLoaded(null);
      if (message.type !== 'load-failed') return begun.listener(message);
      end(
        message.memory
          ? tooLittleMemory(model, machine.freeMemory())
          : failed(
              `The model ${model.name} could not be loaded: ${message.detail.slice(0, 300)}`,
              'The file may be damaged, or of a kind that this version does not know. Choose another model.',
            ),
      );
    });
    process.send({
      type: 'load',
      path: model.path,
      threads: threadsFor(machine),
      contextTokens: model.contextTokens,
    });
    return begun;
  };

  /** The process with the model in it, or why there is none. */
  const ready = async (model: ModelFile, signal: AbortSignal): Promise<Running | AppError> => {
    if (running && running.path !== model.path) unload();
    if (!running) {
      await gone;
      if (signal.aborted) return stopped;
      const free = machine.freeMemory();
      if (free < model.bytes * memoryShare) return tooLittleMemory(model, free);
    }
    const begun = running ?? start(model);
    return (await begun.loaded) ?? begun;
  };

  /** Writes one reply; resolves when the process is free again. */
  const write = async (
    model: ModelFile,
    body: ReplyBody,
    signal: AbortSignal,
    emit: (event: ModelEvent) => void,
  ): Promise<void> => {
    if (signal.aborted) return;
    cancelIdle();
    // A process that loads reads no message, so stopping ends it.
    signal.addEventListener('abort', unload, { once: true });
    const found = await ready(model, signal).finally(() => signal.removeEventListener('abort', unload));
    if ('kind' in found) return emit({ type: 'error', error: found, unanswered: true });
    const id = (lastId += 1);
    await new Promise<void>((resolve) => {
      let cancelKill = (): void => undefined;
      const done = (event: ModelEvent): void => {
        emit(event);
        cancelKill();
        signal.removeEventListener('abort', stop);
        found.listener = () => undefined;
        resolve();
      };
      const stop = (): void => {
        found.process.send({ type: 'stop', id });
        cancelKill = clock.after(
          deps.stopMs ?? stopMs,
          () => (running === found ? unload() : undefined),
          true,
        );
      };
      found.listener = (message) => {
        if (message === null) return done({ type: 'error', error: died(model.name) });
        if (!('id' in message) || message.id !== id) return;
        const event = eventOf(message, model.name);
        if (message.type === 'text' || message.type === 'thinking') emit(event);
        else done(event);
      };
      signal.addEventListener('abort', stop, { once: true });
      found.process.send({ type: 'reply', id, ...body });
      if (signal.aborted) stop();
    });
    if (running) cancelIdle = clock.after(deps.idleMs ?? idleMs, unload);
  };

  return {
    /** Whether a model is in memory. */
    loaded: (): boolean => running !== null,
    unload,
    /**
     * Ends with exactly one `end` or `error`. A stopped reply ends at once, and the process finishes by itself. Any
     * other reply stops one in the background.
     */
    async *reply(
      model: ModelFile,
      body: ReplyBody,
      signal: AbortSignal,
      background = false,
    ): AsyncGenerator<ModelEvent> {
      const events: ModelEvent[] = [];
      let wake = (): void => undefined;
      const emit = (event: ModelEvent): void => {
        events.push(event);
        wake();
      };
      const abandoned = new AbortController();
      interrupt();
      interrupt = background ? () => abandoned.abort() : () => undefined;
      const either = AbortSignal.any([signal, abandoned.signal]);
      either.addEventListener('abort', () => emit({ type: 'error', error: stopped }), { once: true });
      if (either.aborted) emit({ type: 'error', error: stopped, unanswered: true });
      before = before
        .then(() => write(model, body, either, emit))
        .catch((thrown: unknown) => {
          // The next reply must not wait for this one.
          unload();
          emit({ type: 'error', error: notStarted(model.name, thrown), unanswered: true });
        });
      try {
        for (;;) {
          for (let event = events.shift(); event; event = events.shift()) {
            yield event;
            if (event.type === 'end' || event.type === 'error') return;
          }
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (events.length > 0) resolve();
          });
        }
      } finally {
        abandoned.abort();
      }
    },
  };
}

function eventOf(
  message: Exclude<FromModelProcess, { type: 'loaded' | 'load-failed' }>,
  name: string,
): ModelEvent {
  switch (message.type) {
    case 'text':
    case 'thinking':
      return { type: message.type, text: message.text };
    case 'reply-failed':
      return {
        type: 'error',
        error: message.tooLong
          ? tooLong(name)
          : failed(`The model ${name} could not answer: ${message.detail.slice(0, 300)}`, 'Try again.', true),
      };
    case 'end': {
      const { inputTokens, cachedTokens, outputTokens, reason } = message;
      const usage = { inputTokens, cachedTokens, outputTokens };
      if (reason === 'complete') return { type: 'end', ...usage };
      if (reason === 'cut') return { type: 'error', error: cutOff, usage, cut: true };
      return { type: 'error', error: stopped, usage };
    }
  }
}
