import type { Bridge, Push, PushBatch } from '#shared/ipc';

type Listener = (batch: PushBatch) => void | Promise<void>;

export interface PushFeed {
  readonly push: (push: Push) => void;
  /** Resolves when everything pushed so far is acknowledged. */
  readonly drained: () => Promise<void>;
  readonly onPush: Bridge['onPush'];
}

/** Sends one batch at a time and queues the rest until it is acknowledged, as main does. */
export function createPushFeed(): PushFeed {
  let listener: Listener | undefined;
  let waiting: Push[] = [];
  let underWay: Promise<void> | undefined;
  let batch = 0;

  async function deliver(): Promise<void> {
    while (listener && waiting.length > 0) {
      const pushes = waiting;
      waiting = [];
      batch += 1;
      await listener({ batch, pushes });
    }
    underWay = undefined;
  }
  function start(): void {
    underWay ??= Promise.resolve().then(deliver);
  }
  return {
    push: (push: Push) => {
      waiting.push(push);
      start();
    },
    drained: async () => {
      while (underWay) await underWay;
    },
    onPush: (next) => {
      listener = next;
      start();
      return () => {
        listener = undefined;
      };
    },
  };
}
