import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { usePlainIssues } from '#shared/plain-issues';
import { createProjectServer } from './create-project-server';
import { createProjectRoot } from './project-root';

const VERSION = '0.1.0';
/** Fits ten thousand long paths to hash; the default of 10 MB would be too small. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** `project-server <folder>`: speaks MCP over standard input and output until the input ends. */
async function main(): Promise<void> {
  usePlainIssues();
  const folder = process.argv[2];
  if (folder === undefined) return stop('Usage: project-server <folder>', 2);
  const root = createProjectRoot(folder);
  if (!root.ok) return stop(root.error.message, 1);
  process.stdin.once('end', () => process.exit(0));
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  await createProjectServer(root.value, VERSION).connect(transport);
}

function stop(message: string, code: number): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = code;
}

await main();
