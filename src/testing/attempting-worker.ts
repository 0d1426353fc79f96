import { lockDown } from '../sandbox-worker/lockdown';
import { captureRoutes } from '../sandbox-worker/routes';

// A worker built to get out: it takes hold of every way while all are open, and tries them when told to. It answers
// beat 0 when it is ready; told with beat 1 it tries as it is; with beat 2 it is locked first, as the real one.
const captured = captureRoutes();
const send = process.send?.bind(process);

async function act(beat: number): Promise<void> {
  const routes = await captured;
  if (beat === 0) return void send?.({ type: 'pong', beat });
  if (beat === 2) lockDown();
  send?.({ type: 'ready', protocol: 1, probes: await routes.probe() });
}
process.on('message', (message: { beat: number }) => void act(message.beat));
