import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

/**
 * Entry of the utility process that a bundled MCP server runs in: `bundled-server-host <server file> [arguments…]`.
 * A utility process has no standard input, so the server is given one made of messages, and its output goes back the same
 * way. The server's own code runs unchanged: to it, this is a process started with its file and its arguments.
 */
async function host(): Promise<void> {
  const [, , file, ...rest] = process.argv;
  if (file === undefined) throw new Error('No server was named.');
  process.argv.splice(1, process.argv.length - 1, file, ...rest);
  Object.defineProperty(process, 'stdin', { value: inputFromPort(), configurable: true });
  Object.defineProperty(process, 'stdout', { value: outputToPort(), configurable: true });
  await import(pathToFileURL(file).href);
}

/** One message is one line. */
function inputFromPort(): Readable {
  const input = new Readable({ read: () => undefined });
  process.parentPort.on('message', ({ data }: { data: unknown }) => {
    if (typeof data === 'string') input.push(Buffer.from(`${data}\n`));
  });
  return input;
}

/** Text as it was written; bytes as bytes, since a chunk of them may end inside a character. */
function outputToPort(): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      process.parentPort.postMessage(chunk);
      done();
    },
  });
}

host().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
