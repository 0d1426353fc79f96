import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ContextItem } from '#shared/context-item';
import { offlineProviderId } from '#shared/model';
import { createNodeHost } from '../main/adapters/cli/node-host';
import { compose } from '../main/compose/compose';
import { must } from './stored-session';

/** Reports on standard output, with one system call, what is on disk. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

const [, , home = '', project = '', count = '0'] = process.argv;
const app = must(compose(must(createNodeHost(resolve('out/main'), { home, project }))));
const { id: sessionId } = must(app.log.create(project));

/** A drop of many files, and the line that they go with. */
async function drop(): Promise<void> {
  const items: ContextItem[] = [];
  for (let file = 0; file < Number(count); file += 1) {
    const source = { type: 'path' as const, path: `${file}.txt` };
    const attached = must(await app.attach({ source, base: project }));
    if (attached.type === 'attached') items.push(attached.item);
    say(`stored ${file}`);
  }
  const model = { providerId: offlineProviderId, model: 'offline' };
  must(await app.lines.send({ sessionId, text: 'Read them.', runMode: 'ask', model, ui: true, items }));
  say('sent');
}

void drop().then(() => app.close());
