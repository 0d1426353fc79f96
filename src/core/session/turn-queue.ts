import { closing } from '../ports/closing';

/** The work of a line, and how to close the line when the work never begins. */
export interface QueuedTurn {
  readonly turn: number;
  /** Does the work and never rejects. The queue calls the returned function after it has removed the turn. */
  readonly run: (signal: AbortSignal) => Promise<() => void>;
  readonly dropped: () => void;
}

export type TurnQueue = ReturnType<typeof createTurnQueue>;

interface Active {
  readonly turn: number;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

interface Line {
  active: Active | null;
  readonly waiting: QueuedTurn[];
}

/** Runs one turn per session at a time, in order of arrival; sessions do not wait for each other. */
export function createTurnQueue() {
  const lines = new Map<string, Line>();

  const next = (sessionId: string, line: Line): void => {
    const job = line.waiting.shift();
    if (!job) {
      lines.delete(sessionId);
      return;
    }
    const controller = new AbortController();
    const ended = job.run(controller.signal).then((notify) => {
      next(sessionId, line);
      notify();
    });
    line.active = { turn: job.turn, controller, ended };
  };

  const dropWaiting = (line: Line, turn: number): boolean => {
    const index = line.waiting.findIndex((job) => job.turn === turn);
    const [job] = index === -1 ? [] : line.waiting.splice(index, 1);
    job?.dropped();
    return job !== undefined;
  };

  return {
    /** Starts the turn now, or after the earlier turns of its session. */
    add(sessionId: string, job: QueuedTurn): void {
      const line = lines.get(sessionId) ?? { active: null, waiting: [] };
      lines.set(sessionId, line);
      line.waiting.push(job);
      if (!line.active) next(sessionId, line);
    },
    /** Stops a running turn or removes a waiting one from the queue; false when there is no such turn. */
    stop(sessionId: string, turn: number): boolean {
      const line = lines.get(sessionId);
      if (!line) return false;
      if (line.active?.turn !== turn) return dropWaiting(line, turn);
      line.active.controller.abort();
      return true;
    },
    /** Unfinished turns, the running one first. */
    pending(sessionId: string): readonly number[] {
      const line = lines.get(sessionId);
      if (!line) return [];
      return [...(line.active ? [line.active.turn] : []), ...line.waiting.map((job) => job.turn)];
    },
    /** Stops everything; resolves when no turn is running. */
    async close(): Promise<void> {
      const active = [...lines.values()].flatMap((line) => {
        for (const job of [...line.waiting]) dropWaiting(line, job.turn);
        return line.active ? [line.active] : [];
      });
      for (const { controller } of active) controller.abort(closing);
      await Promise.all(active.map(({ ended }) => ended));
    },
  };
}
