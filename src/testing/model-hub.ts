import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tinyGguf } from './tiny-gguf';

/**
 * How the hub answers a request:
 * - `cut`: half of what was asked, then the connection ends;
 * - `paused`: half of what was asked, then nothing until `resume`;
 * - `silent`: no byte at all;
 * - `no-ranges`: the whole file, whatever range was asked;
 * - `longer`: one byte too many, without a length; `shorter`: one byte too few, with matching length;
 * - `other`: the right size with other bytes;
 * - `page`: a sign-in page in place of the file, as captive networks send;
 * - `wrong-range`: another range than the one asked;
 * - `redirect`: to the file; `loop`: to itself; `bad-redirect`: to a file address; `missing`: 404.
 */
export type HubAnswer =
  | 'whole'
  | 'cut'
  | 'paused'
  | 'silent'
  | 'no-ranges'
  | 'longer'
  | 'shorter'
  | 'other'
  | 'page'
  | 'wrong-range'
  | 'redirect'
  | 'loop'
  | 'bad-redirect'
  | 'missing';

export interface ModelHub {
  /** The address of the model's file. */
  readonly address: string;
  readonly origin: string;
  /** The range of each request, or the empty text; oldest first. */
  readonly ranges: readonly string[];
  /** Sets how the next requests are answered. */
  readonly answer: (how: HubAnswer) => void;
  /** Sends the rest of paused answers. */
  readonly resume: () => void;
  readonly close: () => Promise<void>;
}

const path = '/models/tiny.gguf';
const locations: Partial<Record<HubAnswer, string>> = {
  redirect: '/files/tiny.gguf',
  loop: path,
  'bad-redirect': 'file:///etc/passwd',
};

/** A host of model files on loopback, with the faults that such hosts have. */
export async function startModelHub(): Promise<ModelHub> {
  const file = tinyGguf();
  const ranges: string[] = [];
  let how: HubAnswer = 'whole';
  let paused: (() => void)[] = [];

  const send = (response: ServerResponse, range: string): void => {
    const asked = how === 'no-ranges' ? 0 : Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0);
    const begin = how === 'wrong-range' ? asked + 1 : asked;
    const changed = {
      longer: () => Buffer.concat([file, Buffer.alloc(1)]),
      shorter: () => file.subarray(0, -1),
      other: () => Buffer.from(file.map((byte) => byte ^ 1)),
    };
    const whole = how in changed ? changed[how as keyof typeof changed]() : file;
    const body = whole.subarray(begin);
    response.writeHead(begin > 0 ? 206 : 200, {
      ...(how !== 'longer' && { 'content-length': body.length }),
      ...(begin > 0 && { 'content-range': `bytes ${begin}-${whole.length - 1}/${whole.length}` }),
    });
    if (how === 'silent') return;
    if (how !== 'cut' && how !== 'paused') return void response.end(body);
    const half = Math.ceil(body.length / 2);
    response.write(body.subarray(0, half), () => {
      if (how === 'cut') response.socket?.destroy();
      else paused.push(() => response.end(body.subarray(half)));
    });
  };

  const server = createServer((request, response) => {
    const range = request.headers.range ?? '';
    const location = request.url === path ? locations[how] : undefined;
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    if (how === 'missing') return void response.writeHead(404).end();
    ranges.push(range);
    if (how === 'page')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in.</p>');
    send(response, range);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    address: `${origin}${path}`,
    ranges,
    answer: (next) => void (how = next),
    resume() {
      paused.forEach((go) => go());
      paused = [];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
