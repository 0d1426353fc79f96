import { setTimeout as sleep } from 'node:timers/promises';
import { appError } from '#shared/app-error';
import { exportMarkdown } from '#shared/export-markdown';
import { isObject, type Json } from '#shared/json';
import { err, ok } from '#shared/result';
import type { SessionLog } from '../../core/session/session-log';
import { loadTokenCount } from '../../core/session/token-count';
import { createAttach, type AttachDeps } from '../../core/sources/attach';
import type { FindSymbols } from '../../core/sources/attach-options';
import { definedName, definitionPattern, type SymbolHit } from '../../core/sources/symbols';
import type { AgentRuntime } from '../app';
import { createReadAttachedFile } from '../adapters/items/read-attached-file';
import { createPdfReader } from '../adapters/pdf/pdf-reader';
import { listProjectFiles } from '../adapters/sources/list-project-files';
import type { CoreDeps } from './core-deps';
import type { AgentLoader } from './lazy-agent';
import type { Storage } from './storage';

const patchBytes = 900_000;
const patchMs = 20_000;

/** The changes of a project, read by the bundled server's tool through the gate like any other call. */
export function patchOf(load: () => Promise<Pick<AgentRuntime, 'callServerTool'>>): AttachDeps['diff'] {
  return async (project, staged) => {
    const { callServerTool } = await load();
    const args = { staged, maxBytes: patchBytes };
    const call = { uri: 'mcp://project.git_diff', args, approve: 'none' as const, project };
    const answer = await callServerTool(call, AbortSignal.timeout(patchMs));
    if (!answer.ok) return answer;
    const patch = isObject(answer.value) ? answer.value['patch'] : undefined;
    if (typeof patch === 'string') return ok(patch);
    return err(appError('TOOL', 'INVALID_OUTPUT', 'The changes of this folder cannot be read.'));
  };
}

/** The menu waits no longer for symbols than this: the first search also starts the server. */
const symbolMs = 1_000;
const searchMs = 10_000;
const symbolMatches = 60;

/** Searches the project for lines that define a name, with the bundled server's tool. */
export function symbolsOf(
  load: () => Promise<Pick<AgentRuntime, 'callServerTool'>>,
  waitMs = symbolMs,
): FindSymbols {
  return async (project, name) => {
    const query = definitionPattern(name);
    if (project === null || query === null) return [];
    const search = async (): Promise<readonly SymbolHit[]> => {
      const { callServerTool } = await load();
      const args = { query, regex: true, caseSensitive: false, maxMatches: symbolMatches };
      const call = { uri: 'mcp://project.search_text', args, approve: 'none' as const, project };
      const answer = await callServerTool(call, AbortSignal.timeout(searchMs));
      const matches = answer.ok && isObject(answer.value) ? answer.value['matches'] : [];
      return (Array.isArray(matches) ? matches : []).flatMap((match) => hitOf(match as Json, name));
    };
    return Promise.race([search(), sleep(waitMs, [], { ref: false })]);
  };
}

function hitOf(match: Json, query: string): readonly SymbolHit[] {
  if (!isObject(match)) return [];
  const { path, line, text } = match;
  if (typeof path !== 'string' || typeof line !== 'number' || typeof text !== 'string') return [];
  const name = definedName(text, query);
  return name === null ? [] : [{ path, line, name }];
}

const listMs = 10_000;

/** The files below a folder; none when it cannot be read in time. */
export async function listQuickly(folder: string): Promise<readonly string[]> {
  const listed = await listProjectFiles(folder, AbortSignal.timeout(listMs));
  return listed.ok ? listed.value.paths : [];
}

/** A session as the text of its active path. */
function sessionTextOf({ peek }: Pick<SessionLog, 'peek'>): AttachDeps['session'] {
  return (id) => {
    const state = peek(id);
    if (!state.ok) return state;
    const title = state.value.title === '' ? 'untitled session' : state.value.title;
    return ok({ title, text: exportMarkdown(state.value) });
  };
}

const resourceMs = 60_000;

/** Turns what the user attaches into stored context items. */
export function composeAttach(
  { host, clock }: CoreDeps,
  { items, log }: Pick<Storage, 'items' | 'log'>,
  load: AgentLoader['load'],
) {
  return createAttach({
    items,
    read: createReadAttachedFile(listProjectFiles),
    countTokens: loadTokenCount,
    diff: patchOf(load),
    session: sessionTextOf(log),
    resource: async (folder, server, uri) => {
      const servers = (await load()).resourcesOf(folder);
      return servers.read(server, uri, AbortSignal.timeout(resourceMs));
    },
    pdf: createPdfReader(host.startPdfProcess, clock.after),
    ...(host.resizeImage && { resize: host.resizeImage }),
  });
}
