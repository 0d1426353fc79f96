import type { FromWorker } from '#shared/sandbox-protocol';

/** The worker's only connection: messages from main, untrusted until parsed, and the moment main is gone. */
export interface HostPort {
  post(message: FromWorker): void;
  onMessage(hear: (message: unknown) => void): void;
  onClose(hear: () => void): void;
}

/** What Electron adds to `process` in a utility process. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', hear: (event: { data: unknown }) => void): void;
}

/** Finds the port of this process: Electron's parent port, else the channel of a forked child. */
export function connectHostPort(): HostPort {
  // Held here: the lockdown takes the global name away.
  const host = process as typeof process & { parentPort?: ParentPort };
  const { parentPort } = host;
  if (parentPort) {
    return {
      post: (message) => parentPort.postMessage(message),
      onMessage: (hear) => parentPort.on('message', ({ data }) => hear(data)),
      // Electron ends its utility processes itself.
      onClose: () => undefined,
    };
  }
  const send = host.send?.bind(host);
  if (send === undefined) throw new Error('The sandbox worker is started by Patina, not by hand.');
  return {
    post: (message) => void send(message),
    onMessage: (hear) => void host.on('message', hear),
    onClose: (hear) => void host.on('disconnect', hear),
  };
}
