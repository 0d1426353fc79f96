import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { showDemo } from './lib/demo-story.mjs';
import { driveElectron } from './lib/drive-electron.mjs';
import { ROOT, fromRoot } from './lib/paths.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { say } from './lib/say.mjs';
import { underDisplay } from './lib/under-display.mjs';

/** A sample folder: two files with the same content, personal notes, a binary file. @param {string} folder */
function fillProject(folder) {
  const docs = path.join(folder, 'docs');
  fs.mkdirSync(path.join(docs, 'archive'), { recursive: true });
  fs.copyFileSync(path.join(ROOT, 'LICENSE'), path.join(docs, 'licence.txt'));
  fs.copyFileSync(path.join(ROOT, 'LICENSE'), path.join(docs, 'archive', 'licence-old.txt'));
  fs.copyFileSync(path.join(ROOT, 'build', 'icon.png'), path.join(docs, 'icon.png'));
  fs.writeFileSync(
    path.join(docs, 'plan.md'),
    '# Plan\n\nTODO: name the second release.\nFIXME: the date is a guess.\n',
  );
}

/** Runs the story in its own home folder, so that it neither reads nor writes the user's files. */
async function play() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'patina-demo-'));
  const project = path.join(folder, 'project');
  fillProject(project);
  const output = fromRoot('demo-output');
  fs.rmSync(output, { recursive: true, force: true });
  fs.mkdirSync(output, { recursive: true });
  const quiet = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '', PATINA_MODEL: '', PATINA_DISCOVERY: 'off' };
  const env = { ...quiet, PATINA_HOME: path.join(folder, 'home') };
  const app = await driveElectron({ args: ['--project', project], env });
  try {
    return await showDemo(await app.firstWindow(), output);
  } finally {
    await app.close();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @returns {Promise<number>} exit code */
async function main() {
  const [file, args] = underDisplay(process.execPath, [fromRoot('scripts/demo.mjs'), 'play']);
  if (file !== process.execPath && process.argv[2] !== 'play') return runForeground(file, args);
  const sound = await play();
  say(
    sound
      ? 'screenshots are in demo-output/'
      : 'the demonstration did not end as it should; see demo-output/',
  );
  return sound ? 0 : 1;
}

process.exitCode = await main();
