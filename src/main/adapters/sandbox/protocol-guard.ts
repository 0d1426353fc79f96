import { FromWorker } from '#shared/sandbox-protocol';
import type { ToWorker } from '#shared/sandbox-protocol';

/** A message that follows the protocol, or the reason why it does not. */
export type Guarded = { readonly message: FromWorker } | { readonly wrong: string };

const STRIKES = 3;

/**
 * Enforces the protocol on one worker: whose turn it is, for which run, and how many messages came out of
 * turn.
 */
export function createProtocolGuard() {
  let ready = false;
  let run: number | undefined;
  let freshOf: number | undefined;
  let beat: number | undefined;
  let owed = 0;
  let strikes = 0;

  const answerOutOfTurn = (answered: number): string | undefined => {
    if (answered !== run) return 'an answer for another run';
    return owed > 0 ? undefined : 'an answer without a question';
  };
  const outOfTurn = (message: FromWorker): string | undefined => {
    switch (message.type) {
      case 'ready':
        return ready ? 'it started twice' : undefined;
      case 'pong':
        return message.beat === beat ? undefined : 'an unexpected heartbeat';
      case 'fresh':
        return message.run === freshOf ? undefined : 'it was ready for an unknown unit';
      case 'turn':
      case 'done':
      case 'failed':
        return answerOutOfTurn(message.run);
    }
  };
  const take = ({ type }: FromWorker): void => {
    if (type === 'ready') ready = true;
    if (type === 'pong') beat = undefined;
    if (type === 'fresh') freshOf = undefined;
    if (type === 'turn') owed -= 1;
    if (type === 'done' || type === 'failed') {
      freshOf = run;
      run = undefined;
      owed = 0;
    }
  };
  return {
    sent(message: ToWorker): void {
      if (message.type === 'ping') beat = message.beat;
      else owed += 1;
      if (message.type === 'run') run = message.run;
    },
    accept(raw: unknown): Guarded {
      const parsed = FromWorker.safeParse(raw);
      if (!parsed.success) return { wrong: 'a message of an unknown shape' };
      const wrong = outOfTurn(parsed.data);
      if (wrong !== undefined) return { wrong };
      take(parsed.data);
      return { message: parsed.data };
    },
    /** Number of outstanding answers; while there are any, the worker computes. */
    owed: (): number => owed,
    /**
     * Records a message out of turn; true when it must end the worker: the first during a unit or before the
     * start, else the third.
     */
    recordStrike(): boolean {
      strikes += 1;
      return run !== undefined || !ready || strikes >= STRIKES;
    },
  };
}
