import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { DdrAnswer } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import { createDdrFolder } from '../main/adapters/ddrs/ddr-folder';
import { createDdrs } from '../main/ddrs/create-ddrs';
import type { DdrQuestion } from '../main/ddrs/operation';
import type { HostToolContext } from '../main/ports/host-tool';
import { createTempTree } from './temp-tree';

type Files = Readonly<Record<string, string | Uint8Array>>;

export interface DdrDeskOptions {
  /** Files of `PATINA_HOME/ddrs`; without any the folder is not there. */
  readonly home?: Files;
  readonly seeds?: Files;
  /** What the user says to a model's questions; may do something while being asked. */
  readonly answer?: (question: DdrQuestion) => boolean;
}

const families = '[{"tla":"AGN","title":"Agent"},{"tla":"TUL","title":"Tools"}]';

/** The DDR manager over real folders, with a user who is Ada and whose clock stands still. */
export function createDdrDesk({ home = {}, seeds = {}, answer = () => false }: DdrDeskOptions = {}) {
  const tree = createTempTree({ 'seeds/tla-catalog.json': families });
  const under = (folder: string, files: Files): Files =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
  tree.write({ ...under('ddrs', home), ...under('seeds', seeds) });
  mkdirSync(path.join(tree.root, 'seeds'), { recursive: true });
  const folder = path.join(tree.root, 'ddrs');
  const asked: DdrQuestion[] = [];
  const openStore = () =>
    createDdrFolder({
      folder,
      seeds: path.join(tree.root, 'seeds'),
      pid: process.pid,
      processAlive: (pid) => pid === process.pid,
      now: () => Date.now(),
      wait: () => new Promise((resolve) => setImmediate(resolve)),
    });
  const open = () =>
    createDdrs({
      store: openStore(),
      userName: () => 'Ada Lovelace',
      localTime: () => '2026-03-04T05:06:07+01:00',
      askUser: (question) => {
        asked.push(question);
        return Promise.resolve(answer(question));
      },
    });
  const ddrs = open();
  const as =
    (actor: HostToolContext['actor']) =>
    (operation: string, payload: JsonObject = {}): Promise<DdrAnswer> =>
      ddrs.call({ operation, payload }, contextOf(actor));
  return { tree, folder, asked, ddrs, open, openStore, user: as('user'), model: as('model') };
}

export function contextOf(actor: HostToolContext['actor']): HostToolContext {
  return {
    ...{ sessionId: 'ses_1', turn: 0, callId: 'call_1', actor, approve: 'ask' },
    cause: { toolCallId: 'call_1' },
    signal: new AbortController().signal,
  };
}

/** What an operation gave; a refusal fails the test with its words. */
export function resultOf<T = unknown>(answer: DdrAnswer): T {
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.result as T;
}
