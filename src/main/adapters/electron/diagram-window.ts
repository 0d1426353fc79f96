import { BrowserWindow, session, type Session } from 'electron';
import { serveApp } from './app-protocol';
import { appOrigin, closeSession, diagramPolicy } from './window-security';

/** What the page answers: a PNG as base64 text, or why there is none. The answer is not trusted. */
export type DiagramReply =
  | { readonly png: string }
  | { readonly problem: 'syntax'; readonly line?: number }
  | { readonly problem: 'too-large' | 'late' };

const loadMs = 10_000;
const drawMs = 2_000;
const late: DiagramReply = { problem: 'late' };

let closed: Session | null = null;

/** A session in memory for these windows only: no network, no storage that stays, no permission. */
function diagramSession(root: string): Session {
  if (closed) return closed;
  closed = session.fromPartition('diagram');
  closeSession(closed);
  serveApp(root, { target: closed.protocol, policy: diagramPolicy });
  return closed;
}

function openHidden(root: string): BrowserWindow {
  return new BrowserWindow({
    show: false,
    width: 1_200,
    height: 900,
    webPreferences: {
      session: diagramSession(root),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      backgroundThrottling: false,
    },
  });
}

/** The value, or `late` when it takes longer. */
async function within<T>(ms: number, value: Promise<T>): Promise<T | 'late'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), ms)));
  try {
    return await Promise.race([value, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Anything but a well-formed answer counts as an error in the diagram. */
function readReply(reply: unknown): DiagramReply {
  if (reply === 'late') return late;
  const { png, problem, line } = Object(reply) as Readonly<Record<string, unknown>>;
  if (typeof png === 'string') return { png };
  if (problem === 'too-large') return { problem };
  return { problem: 'syntax', ...(Number.isSafeInteger(line) && { line: Number(line) }) };
}

async function drawIn(window: BrowserWindow, source: string, dark: boolean): Promise<DiagramReply> {
  const { webContents } = window;
  const ready = window
    .loadURL(`${appOrigin}/diagram.html`)
    .then(() => webContents.executeJavaScript('diagramReady'));
  if ((await within(loadMs, ready)) !== true) return late;
  const call = `drawDiagram(${JSON.stringify(source)}, ${dark})`;
  return readReply(await within(drawMs, webContents.executeJavaScript(call) as Promise<unknown>));
}

async function drawOne(root: string, source: string, dark: boolean): Promise<DiagramReply> {
  const window = openHidden(root);
  try {
    return await drawIn(window, source, dark);
  } catch {
    // The page's process ended.
    return late;
  } finally {
    // A page that still computes would not close on request.
    if (!window.isDestroyed()) {
      window.webContents.forcefullyCrashRenderer();
      window.destroy();
    }
  }
}

/**
 * Draws mermaid diagrams, one at a time, each in a hidden window of its own: sandboxed, without a preload script,
 * without network, and ended when it needs more than two seconds.
 */
export function createDiagramWindows(root: string) {
  let last: Promise<unknown> = Promise.resolve();
  return (source: string, dark: boolean): Promise<DiagramReply> => {
    const next = last.then(() => drawOne(root, source, dark));
    last = next.catch(() => undefined);
    return next;
  };
}
