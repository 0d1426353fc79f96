import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createDevtoolsPipe, type DevtoolsPipe } from './devtools-pipe';
import type { Launch } from './launches';

/** In the page, before its own scripts: tells when the field one types into has been drawn and takes the focus. */
const watch = `(() => {
  const look = () => {
    const field = document.querySelector('textarea');
    if (!field || field.getBoundingClientRect().height === 0) return requestAnimationFrame(look);
    field.focus();
    if (document.activeElement !== field) return requestAnimationFrame(look);
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => usableAt(String(performance.timeOrigin + performance.now()));
      port2.postMessage(null);
    });
  };
  requestAnimationFrame(look);
})()`;

async function watchPage(pipe: DevtoolsPipe, sessionId: string): Promise<void> {
  await pipe.call('Runtime.enable', {}, sessionId);
  await pipe.call('Runtime.addBinding', { name: 'usableAt' }, sessionId);
  await pipe.call('Page.enable', {}, sessionId);
  await pipe.call('Page.addScriptToEvaluateOnNewDocument', { source: watch }, sessionId);
  await pipe.call('Runtime.runIfWaitingForDebugger', {}, sessionId);
}

/** When the page said so; each target is held until it is being watched. */
function usable(pipe: DevtoolsPipe): Promise<number> {
  return new Promise((resolve, reject) => {
    pipe.on('Runtime.bindingCalled', ({ payload }) => resolve(Number(payload)));
    pipe.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const id = String(sessionId);
      const { type } = targetInfo as { type: string };
      if (type === 'page') watchPage(pipe, id).catch(reject);
      else pipe.call('Runtime.runIfWaitingForDebugger', {}, id).catch(reject);
    });
    const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    pipe.call('Target.setAutoAttach', attach).catch(reject);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}

/** Starts an app and gives the milliseconds from the start of its process until one can type into its window. */
export async function timeToUsable({ executablePath, args, env }: Launch): Promise<number> {
  const started = Date.now();
  const child = spawn(executablePath, ['--remote-debugging-pipe', ...args], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const early = once(child, 'exit').then(() =>
    Promise.reject(new Error('The app ended before its window opened.')),
  );
  early.catch(() => undefined);
  const at = await Promise.race([usable(createDevtoolsPipe(child)), early]);
  await ended(child);
  return at - started;
}
