import { lockDown } from '../sandbox-worker/lockdown';
import { captureRoutes, tryRoute } from '../sandbox-worker/routes';

// A worker that tries to escape. It captures every route while all are open and tries them on request. It
// answers beat 0 when it is ready; on beat 1 it tries without a lockdown; on beat 2 it applies the lockdown
// first, like the real worker.
const routes = captureRoutes();
const { fetch: held } = globalThis;
const send = process.send?.bind(process);

async function act(beat: number): Promise<void> {
  if (beat === 0) return void send?.({ type: 'pong', beat });
  if (beat === 2) lockDown();
  // Runs first, because an open inspector session, which is one of the other routes, blocks Node's client.
  const first = await tryRoute('held fetch', () => held('http://127.0.0.1:65001/'));
  send?.({ type: 'ready', protocol: 1, probes: [first, ...(await routes.probe())] });
}
process.on('message', (message: { beat: number }) => void act(message.beat));
