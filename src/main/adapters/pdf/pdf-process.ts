import { maxItemTextBytes } from '#shared/context-item';
import { pdfText } from './pdf-text';

/**
 * Entry of the process that reads one PDF: it receives the bytes, answers with the text or the problem, and is
 * killed. It receives them over the port of a utility process or the channel of a child process.
 */
if (process.send) {
  process.once('message', (bytes: Uint8Array) => {
    void pdfText(bytes, maxItemTextBytes).then((answer) => process.send?.(answer));
  });
} else {
  process.parentPort.once('message', ({ data }: { readonly data: Uint8Array }) => {
    void pdfText(data, maxItemTextBytes).then((answer) => process.parentPort.postMessage(answer));
  });
}
