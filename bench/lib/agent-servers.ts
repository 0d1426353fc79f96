import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { appError } from '../../src/shared/app-error';
import type { Json, JsonObject } from '../../src/shared/json';
import { err, type Result } from '../../src/shared/result';
import { createChildLinePort } from '../../src/main/adapters/mcp/child-line-port';
import { createTools } from '../../src/main/adapters/mcp/create-tools';
import { parseRegistry } from '../../src/main/adapters/mcp/registry';
import type { ToolDefinition } from '../../src/core/ports/tool-definition';
import type { Tools } from '../../src/core/ports/tools';

export interface RecordedCall {
  readonly uri: string;
  readonly args: JsonObject;
  readonly result: Json;
}

const find = createRequire(path.resolve('package.json')).resolve;
const words =
  'the carrier took a parcel from our warehouse and a refund was paid with one voucher for every customer'.split(
    ' ',
  );

/** A project folder with six documents, the same each time. */
function projectFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'patina-bench-agent-')));
  for (const name of ['docs', 'reports']) mkdirSync(path.join(folder, name));
  for (let file = 0; file < 6; file += 1) {
    const text = Array.from({ length: 3_000 }, (_, at) => {
      const word = words[(at * (file + 3) + file) % (words.length - (file % 3) * 4)] ?? '';
      return at % 12 === 11 ? `${word}.\n` : word;
    });
    writeFileSync(path.join(folder, 'docs', `part-${file}.md`), `# Part ${file}\n${text.join(' ')}`);
  }
  return folder;
}

function registryText(folder: string): string {
  const server = (file: string, args: readonly string[] = [], env: object = {}) => ({
    command: process.execPath,
    args: [file, ...args],
    env,
    trusted: true,
  });
  return JSON.stringify({
    mcpServers: {
      filesystem: server(find('@modelcontextprotocol/server-filesystem/dist/index.js'), [folder]),
      memory: server(find('@modelcontextprotocol/server-memory/dist/index.js'), [], {
        MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl'),
      }),
      everything: server(find('@modelcontextprotocol/server-everything/dist/index.js')),
      shop: server(path.resolve('src/testing/mcp-peers/shop-server.mjs')),
    },
  });
}

/** Four real servers over standard input and output in a folder of their own, with every call grouped by what ran at once. */
export interface BenchServers {
  readonly tools: Tools;
  readonly definitions: readonly ToolDefinition[];
  /** The calls since the last request of this list, grouped by the calls that ran at the same time. */
  readonly takeWaves: () => readonly (readonly RecordedCall[])[];
  /** The state of the servers that a task could have changed. */
  readonly state: () => Promise<string>;
}

/** Returns no result before all concurrent calls are done: what a model could have requested in one turn. */
export function inWaves(tools: Tools) {
  let waves: RecordedCall[][] = [];
  let open: {
    left: number;
    readonly calls: RecordedCall[];
    readonly over: Promise<void>;
    end: () => void;
  } | null = null;
  const begin = () => {
    const calls: RecordedCall[] = [];
    let resolve = (): void => undefined;
    const promise = new Promise<void>((settle) => (resolve = settle));
    waves.push(calls);
    return { left: 0, calls, over: promise, end: () => resolve() };
  };
  const call: Tools['call'] = async (uri, args, signal) => {
    const wave = (open ??= begin());
    wave.left += 1;
    const result = await tools.call(uri, args, signal);
    wave.calls.push({ uri, args, result: result.ok ? result.value : result.error.message });
    wave.left -= 1;
    if (wave.left === 0) {
      open = null;
      wave.end();
    }
    await wave.over;
    return result;
  };
  const takeWaves = () => {
    const taken = waves;
    waves = [];
    return taken;
  };
  return { tools: { ...tools, call }, takeWaves };
}

export async function startBenchServers(): Promise<BenchServers> {
  const folder = projectFolder();
  const real = createTools({
    registry: () => parseRegistry(registryText(folder), 'registry.json'),
    project: folder,
    startChild: createChildLinePort,
    env: {},
    startBundledServer: () => {
      throw new Error('no server of the app is part of this');
    },
    secret: () => err(appError('HOST', 'NOT_FOUND', 'no secrets here')),
  });
  const listed = await real.list();
  const failed = real.servers().filter(({ state }) => state === 'failed');
  if (!listed.ok || failed.length > 0) throw new Error(JSON.stringify([listed, failed]));
  const never = new AbortController().signal;
  const held = async (uri: string): Promise<Result<Json>> => real.call(uri, {}, never);
  return {
    ...inWaves(real),
    definitions: listed.value,
    state: async () => {
      const reports = readdirSync(path.join(folder, 'reports')).sort();
      const files = reports.map((name) => [name, readFileSync(path.join(folder, 'reports', name), 'utf8')]);
      return JSON.stringify([
        await held('mcp://shop.export_state'),
        await held('mcp://memory.read_graph'),
        files,
      ]);
    },
  };
}
