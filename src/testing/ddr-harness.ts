import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { DdrAnswer } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import { createDdrFolder } from '../main/adapters/ddrs/ddr-folder';
import { createDdrs } from '../core/ddrs/create-ddrs';
import type { DdrQuestion } from '../core/ddrs/operation';
import type { BuiltInToolContext } from '../core/ports/built-in-tool';
import { createTempTree } from './temp-tree';

type Files = Readonly<Record<string, string | Uint8Array>>;

export interface DdrHarnessOptions {
  /** Files of `PATINA_HOME/ddrs`; without any, the folder is missing. */
  readonly home?: Files;
  readonly seeds?: Files;
  /** The user's answer to a model's questions; may have side effects. */
  readonly answer?: (question: DdrQuestion) => boolean;
}

const families = '[{"tla":"AGN","title":"Agent"},{"tla":"TUL","title":"Tools"}]';

/** The DDR operations over real folders, with a user named Ada and a fixed clock. */
export function createDdrHarness({ home = {}, seeds = {}, answer = () => false }: DdrHarnessOptions = {}) {
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
    });
  const askUser = (question: DdrQuestion): Promise<boolean> => {
    asked.push(question);
    return Promise.resolve(answer(question));
  };
  const ddrs = open();
  const as =
    (actor: BuiltInToolContext['actor']) =>
    (operation: string, payload: JsonObject = {}): Promise<DdrAnswer> =>
      ddrs.call({ operation, payload }, contextOf(actor), askUser);
  const tool = ddrs.tool(askUser);
  return {
    tree,
    folder,
    asked,
    askUser,
    ddrs,
    tool,
    open,
    openStore,
    user: as('user'),
    model: as('model'),
  };
}

export function contextOf(actor: BuiltInToolContext['actor']): BuiltInToolContext {
  return {
    sessionId: 'ses_1',
    turn: 0,
    callId: 'call_1',
    actor,
    approve: 'ask',
    cause: { toolCallId: 'call_1' },
    signal: new AbortController().signal,
  };
}

/** Returns the result of an operation; a refusal fails the test with its message. */
export function resultOf<T = unknown>(answer: DdrAnswer): T {
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.result as T;
}

export type DdrHarness = ReturnType<typeof createDdrHarness>;

/** Creates the harnesses of one test file and removes their folders after each test. */
export function createDdrHarnesses() {
  let trees: DdrHarness['tree'][] = [];
  return {
    /** Removes one of the test's own folders together with the others. */
    removeLater: (tree: DdrHarness['tree']): void => void trees.push(tree),
    harness(options: DdrHarnessOptions = {}): DdrHarness {
      const harness = createDdrHarness(options);
      trees.push(harness.tree);
      return harness;
    },
    removeAll(): void {
      for (const tree of trees) tree.remove();
      trees = [];
    },
  };
}

/** The name and the time of a harness's approvals, and the document that `approveWhole` creates. */
export const sampleApproval = { by: 'Ada Lovelace', at: '2026-03-04T05:06:07+01:00' };
export const sampleDdr = { tla: 'AGN', title: 'Modes: and "more"', summary: 'What a mode is.' };

/** Creates a document with a goal and two chapters, all approved; returns its id. */
export async function approveWhole({ user }: DdrHarness): Promise<string> {
  const id = 'AGN-001';
  resultOf(await user('create_ddr', sampleDdr));
  resultOf(await user('set_goal', { id, goal: 'One reading.' }));
  const chapters = [
    { title: 'Scope', summary: 'What it covers.', details: 'All of it.' },
    { title: 'Terms', summary: 'What words mean.', details: '### Mode\n\nA way to work.' },
  ];
  resultOf(await user('add_chapters', { id, chapters }));
  for (const chapterId of ['C1', 'C2']) resultOf(await user('approve_chapter', { id, chapterId }));
  resultOf(await user('approve_goal', { id }));
  resultOf(await user('approve_ddr', { id }));
  return id;
}

/** A document file with only the required content. */
export function ddrText(id: string, title = 'Title', body = ''): string {
  return `---\nid: ${id}\ntitle: ${title}\n---\n${body}`;
}

/** The result of `list_ddrs` for a user. */
export async function listedDdrs({ user }: DdrHarness): Promise<DdrList> {
  const answer = await user('list_ddrs');
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.result as unknown as DdrList;
}

export interface DdrList {
  readonly ddrs: readonly { readonly id: string; readonly title: string; readonly origin: string }[];
  readonly problems: readonly { readonly file: string; readonly field: string; readonly reason: string }[];
}
