import { utilityProcess, type UtilityProcess } from 'electron';
import { bundledServerEnv, type BundledServerFiles } from '../mcp/child-bundled-servers';
import {
  createExitOnce,
  MAX_LINE_BYTES,
  type LinePort,
  type PortExit,
  type StartBundledServer,
} from '../mcp/line-port';
import { createLineSplitter } from '../mcp/line-splitter';
import { createTextTail } from '../mcp/text-tail';

const TERM_GRACE_MS = 1_000;

/**
 * Runs the bundled servers in utility processes, because the packaged app cannot run as Node. `host` is the
 * built `bundled-server-host.js`. A utility process ends with the app, however the app ends.
 */
export function createUtilityBundledServers(host: string, files: BundledServerFiles): StartBundledServer {
  return (server, project) => {
    const child = utilityProcess.fork(host, [files[server], project], {
      serviceName: `Patina ${server} server`,
      cwd: project,
      // An empty object would pass on our whole environment; this one replaces it.
      env: bundledServerEnv(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return portOf(child);
  };
}

function portOf(child: UtilityProcess): LinePort {
  const end = createExitOnce();
  const stderr = createTextTail();
  let line: (text: string) => void = () => undefined;
  const overflow = (): void => {
    end.markExited({ cause: 'too-large', detail: `sent a message over ${MAX_LINE_BYTES} bytes` });
    child.kill();
  };
  const split = createLineSplitter(MAX_LINE_BYTES, (text) => line(text), overflow);
  child.on('message', (chunk: unknown) => {
    if (typeof chunk === 'string') split(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) split(chunk);
  });
  child.stderr?.on('data', stderr.add);
  child.once('exit', (code) => {
    const exit: PortExit = { cause: 'exited', detail: `exited with code ${code}` };
    end.markExited(exit);
  });
  return {
    get pid() {
      return child.pid;
    },
    send: (text) => {
      if (!end.over()) child.postMessage(text);
    },
    onLine: (listener) => {
      line = listener;
    },
    onExit: end.onExit,
    stderrTail: stderr.text,
    kill: () => stop(child, end.over),
  };
}

async function stop(child: UtilityProcess, over: () => boolean): Promise<void> {
  const { pid } = child;
  if (pid === undefined && over()) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  if (!child.kill()) return;
  const hard = setTimeout(() => {
    if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
  }, TERM_GRACE_MS);
  await exited;
  clearTimeout(hard);
}
