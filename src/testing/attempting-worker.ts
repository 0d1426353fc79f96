import { lockDown } from '../sandbox-worker/lockdown';
import { captureRoutes, tryRoute } from '../sandbox-worker/routes';

// A worker built to get out: it takes hold of every way while all are open, and tries them when told to. It answers
// beat 0 when it is ready; told with beat 1 it tries as it is; with beat 2 it is locked first, as the real one.
const routes = captureRoutes();
const { fetch: held } = globalThis;
const send = process.send?.bind(process);

async function act(beat: number): Promise<void> {
  if (beat === 0) return void send?.({ type: 'pong', beat });
  if (beat === 2) lockDown();
  // First, because an open inspector session, which is one of the other ways, holds Node's client up.
  const first = await tryRoute('held fetch', () => held('http://127.0.0.1:65001/'));
  send?.({ type: 'ready', protocol: 1, probes: [first, ...(await routes.probe())] });
}
process.on('message', (message: { beat: number }) => void act(message.beat));
