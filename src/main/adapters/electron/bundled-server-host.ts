import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

/**
 * Entry point of the utility process that runs a bundled MCP server: `bundled-server-host <server file>
 * [arguments…]`. A utility process has no standard input, so this builds one from messages and sends the
 * server's output back as messages. The server's own code runs unchanged: it sees a process started with its
 * file and its arguments.
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

/** Sends text as text and bytes as bytes, since a chunk of bytes may end inside a character. */
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
