import { utilityProcess, type UtilityProcess } from 'electron';
import { bundledServerEnv, type BundledServerFiles } from '../mcp/child-bundled-servers';
import { createExitOnce, MAX_LINE_BYTES, type LinePort, type StartBundledServer } from '../mcp/line-port';
import { createLineSplitter } from '../mcp/line-splitter';
import { createTextTail } from '../mcp/text-tail';
import { isZombie } from '../sandbox/process-facts';

const TERM_GRACE_MS = 1_000;
/**
 * How often to look whether the process has ended. Electron reports the end when the process's channel closes;
 * a program that was started at the same moment can hold a copy of the channel open, and then it never does.
 */
const LOOK_MS = 1_000;

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
  const ended = new Promise<void>((resolve) => {
    const exited = (detail: string): void => {
      clearInterval(looking);
      end.markExited({ cause: 'exited', detail });
      resolve();
    };
    const looking = setInterval(() => {
      if (child.pid !== undefined && isZombie(child.pid)) exited('was killed');
    }, LOOK_MS);
    looking.unref();
    child.once('exit', (code) => exited(`exited with code ${code}`));
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
    kill: () => stop(child, ended, end.over),
  };
}

async function stop(child: UtilityProcess, ended: Promise<void>, over: () => boolean): Promise<void> {
  const { pid } = child;
  if (pid === undefined ? over() : isZombie(pid)) return;
  if (!child.kill()) return;
  const hard = setTimeout(() => {
    if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
  }, TERM_GRACE_MS);
  await ended;
  clearTimeout(hard);
}
