import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ContextItem } from '#shared/context-item';
import { offlineProviderId } from '#shared/model';
import { createNodeHost } from '../main/adapters/cli/node-host';
import { compose } from '../main/compose/compose';
import { must } from './stored-session';

/** Reports on standard output, with one system call, what is about to be done and what is on disk. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

const [, , home = '', project = '', count = '0'] = process.argv;
const app = must(compose(must(createNodeHost(resolve('out/main'), { home, project }))));
const { id: sessionId } = must(app.log.create(project));
const model = { providerId: offlineProviderId, model: 'offline' };

/** A conversation of three lines, whose first has an item; then its second line is edited, and each edit forked. */
async function branch(): Promise<void> {
  const attached = must(await app.attach({ source: { type: 'path', path: 'notes.txt' }, base: project }));
  const notes: ContextItem[] = attached.type === 'attached' ? [attached.item] : [];
  const send = async (text: string, place: { readonly parent?: number; readonly items?: ContextItem[] }) =>
    must(await app.lines.send({ sessionId, text, runMode: 'ask', model, ui: true, ...place }));
  await (
    await send('first', { items: notes })
  ).done;
  await (
    await send('second', {})
  ).done;
  await (
    await send('third', {})
  ).done;
  say(`ready ${sessionId}`);
  for (let edit = 0; edit < Number(count); edit += 1) {
    say(`editing ${edit}`);
    const sent = await send(`edit ${edit}`, { parent: 0 });
    say(`edited ${edit}`);
    await sent.done;
    say(`forking ${edit}`);
    must(app.log.fork(sessionId, sent.turn));
    say(`forked ${edit}`);
  }
}

void branch().then(() => app.close());
