import { existsSync } from 'node:fs';
import { launchElectron, rootFlags } from './lib/launch-electron.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { assertChromiumSandbox } from './lib/chromium-sandbox.mjs';
import { isProblem } from './lib/problem.mjs';
import { say } from './lib/say.mjs';
import { startMode } from './lib/start-mode.mjs';
import { fromRoot } from './lib/paths.mjs';

async function openWindow() {
  if (rootFlags().length > 0) say('running as root, so Chromium has to start without its own sandbox.');
  else await assertChromiumSandbox();
  const { executablePath, args, env } = launchElectron({ args: process.argv.slice(2) });
  // npm runs this in Patina's own folder; paths on the command line are relative to the caller's folder.
  const caller = process.env['INIT_CWD'];
  return runForeground(executablePath, args, env, caller && existsSync(caller) ? caller : process.cwd());
}

function openChat() {
  say('no display here, so this is the terminal conversation (patina chat).');
  return runForeground(process.execPath, [fromRoot('out/main/cli.js'), 'chat', ...process.argv.slice(2)]);
}

function openDemo() {
  say('no display and no terminal here, so this is the demonstration (npm run demo).');
  return runForeground(process.execPath, [fromRoot('scripts/demo.mjs')]);
}

const OPENERS = { window: openWindow, chat: openChat, demo: openDemo };

try {
  process.exitCode = await OPENERS[startMode()]();
} catch (error) {
  if (!isProblem(error)) throw error;
  say(error.message);
  process.exitCode = 1;
}
