import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../core/ports/clock';
import type { Comparison, SentenceEncoder } from '../../../core/ports/sentence-encoder';
import { FromEncoderProcess, type EncoderProcess, type StartSentenceEncoder } from './messages';

/** Less free memory than this counts as short; the process itself needs about 230 MB. */
export const neededMemory = 800_000_000;
/** An encoder that nobody asked for this long is unloaded. */
const idleMs = 5 * 60_000;
/** A comparison that takes longer will not end; the first one also loads the model. */
const maxMs = 60_000;

/** Whether the encoder works, or why it does not. */
export type EncoderState = 'ready' | 'not-installed' | 'off' | 'memory' | 'failed';

export interface EncoderDeps {
  readonly start: StartSentenceEncoder;
  /** Whether the packages of the encoder and its model are there. */
  readonly installed: () => boolean;
  /** Whether the user has it on. */
  readonly on: () => boolean;
  /** Bytes that a new process can have. */
  readonly freeMemory: () => number;
  readonly clock: Clock;
  /** Where the vectors of sets are stored, a file for each. */
  readonly folder: string;
}

interface Job {
  readonly comparison: Comparison;
  readonly resolve: (closeness: readonly number[] | null) => void;
}

export type LocalEncoder = ReturnType<typeof createSentenceEncoder>;

/**
 * Runs the encoder in its own process: starts it for the first comparison, unloads it when nobody asks, and does not
 * start it again after it failed. One comparison runs at a time, and of those that wait only the newest.
 */
export function createSentenceEncoder(deps: EncoderDeps) {
  const { clock, folder } = deps;
  let running: EncoderProcess | null = null;
  let working: (Job & { readonly id: number }) | null = null;
  let waiting: Job | null = null;
  let failed = false;
  let lastId = 0;
  let cancelTimer = (): void => undefined;

  const state = (): EncoderState => {
    if (!deps.installed()) return 'not-installed';
    if (!deps.on()) return 'off';
    if (failed) return 'failed';
    return running === null && deps.freeMemory() < neededMemory ? 'memory' : 'ready';
  };

  const unload = (): void => {
    cancelTimer();
    const ended = running;
    running = null;
    ended?.kill();
    for (const job of [working, waiting]) job?.resolve(null);
    working = null;
    waiting = null;
  };

  const fail = (): void => {
    failed = true;
    unload();
  };

  const begin = (): EncoderProcess => {
    const begun = deps.start();
    running = begun;
    begun.onExit(() => {
      if (running === begun) fail();
    });
    begun.onMessage((raw) => {
      if (running !== begun) return;
      const answer = FromEncoderProcess.safeParse(raw);
      if (!answer.success || !working || !('closeness' in answer.data)) return fail();
      if (answer.data.id !== working.id) return;
      const { closeness } = answer.data;
      if (closeness.length !== working.comparison.texts.length) return fail();
      const { resolve } = working;
      working = null;
      cancelTimer();
      cancelTimer = clock.after(idleMs, unload);
      resolve(closeness);
      next();
    });
    return begun;
  };

  const next = (): void => {
    if (working || !waiting) return;
    const job = waiting;
    waiting = null;
    const id = (lastId += 1);
    working = { ...job, id };
    cancelTimer();
    cancelTimer = clock.after(maxMs, fail);
    const { query, texts, set } = job.comparison;
    const file = set === undefined ? null : join(folder, `${set}.bin`);
    (running ?? begin()).send({ id, query, texts, file });
  };

  const encoder: SentenceEncoder = {
    available: () => state() === 'ready',
    compare(comparison) {
      if (state() !== 'ready') return Promise.resolve(null);
      return new Promise((resolve) => {
        waiting?.resolve(null);
        waiting = { comparison, resolve };
        next();
      });
    },
  };
  return {
    ...encoder,
    state,
    unload,
    /** Ends the process and deletes what it stored, so that nothing derived from a deleted session stays. */
    forget(): void {
      const remove = (): void => rmSync(folder, { recursive: true, force: true });
      const ended = running;
      unload();
      // A process that still writes would create the file again.
      if (ended) ended.onExit(remove);
      remove();
    },
  };
}
