import { fromRoot } from './lib/paths.mjs';
import { runForeground } from './lib/run-foreground.mjs';

// Standard output belongs to the command: add nothing to it.
process.exitCode = await runForeground(process.execPath, [
  fromRoot('out/main/cli.js'),
  ...process.argv.slice(2),
]);
