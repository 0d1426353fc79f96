import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { turnAt, type SessionState, type Turn } from '#shared/session-state';
import { createNodeHost } from '../main/adapters/cli/node-host';
import type { StartLocalModel } from '../main/adapters/local-model/messages';
import { startChildProcess } from '../main/adapters/system/message-process';
import { createChildBundledServers } from '../main/adapters/mcp/child-bundled-servers';
import { bundleFiles } from '../main/adapters/system/bundle-files';
import type { ResolveProxy } from '../main/adapters/system/system-proxy';
import { compose } from '../main/compose/compose';
import type { LineToRoute, RoutedLine } from '../core/control-plane/submit-line';
import { startScriptedModel, type Script, type ScriptedModel } from './scripted-model';
import { must } from './stored-session';

/** The options for a start of the whole main process. */
export interface MainHarnessOptions {
  readonly replies?: Script['replies'];
  /** The models that the scripted model lists. */
  readonly models?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly project?: string;
  /** Builds what only the window has; by default main is built as for the command line. */
  readonly kind?: 'app' | 'cli';
  /** Answers for the system's proxy settings; by default there are none to ask, as on the command line. */
  readonly resolveProxy?: ResolveProxy;
  /** The built project server; by default that of the last build, if there is one. */
  readonly projectServer?: string;
  /** The built process of local models; by default that of the last build. */
  readonly modelProcess?: string;
  /** Local models from a script instead of a process. */
  readonly startLocalModel?: StartLocalModel;
  /** A home folder of the caller that remains after the end, so that several starts can share it. */
  readonly at?: string;
  /** Writes files below the home folder before the start. */
  readonly prepareHome?: (home: string) => void;
}

/** How a line is sent; absent: in Ask, where pickers can be shown. */
type LineOptions = Partial<Pick<LineToRoute, 'ui' | 'runMode' | 'items' | 'parameters'>>;

/** Main as the command line builds it, in its own home folder, with a scripted model behind real HTTP. */
export interface MainHarness {
  readonly app: Extract<ReturnType<typeof compose>, { ok: true }>['value'];
  readonly model: ScriptedModel;
  readonly home: string;
  readonly sessionId: string;
  readonly state: () => SessionState;
  readonly turn: (turn: number) => Turn;
  /** Sends a line and waits until its turn is complete. */
  readonly say: (text: string, more?: LineOptions) => Promise<Turn>;
  /** Sends a line; its turn continues. */
  readonly send: (text: string, more?: LineOptions) => Promise<RoutedLine>;
  /** Resolves when the next fact of this type is recorded. */
  readonly next: (type: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts main with the real seeds, storage and HTTP client. */
export async function startMain(options: MainHarnessOptions = {}): Promise<MainHarness> {
  const home = options.at ?? mkdtempSync(join(tmpdir(), 'patina-main-'));
  options.prepareHome?.(home);
  const model = await startScriptedModel({ replies: options.replies ?? [], models: options.models ?? ['m'] });
  const bundle = resolve('out/main');
  const host = must(createNodeHost(bundle, { home, project: options.project ?? home }));
  const { servers } = bundleFiles(bundle);
  const { projectServer = servers.project } = options;
  const startBundledServer = createChildBundledServers({ ...servers, project: projectServer });
  const env = {
    PATINA_DISCOVERY: 'off',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'k',
    PATINA_MODEL: 'm',
  };
  const { modelProcess } = options;
  const builtModel = modelProcess === undefined ? host.startLocalModel : startChildProcess(modelProcess);
  const { startLocalModel = builtModel } = options;
  const app = must(
    compose({
      ...host,
      kind: options.kind ?? host.kind,
      ...(options.resolveProxy && { resolveProxy: options.resolveProxy }),
      startBundledServer,
      startLocalModel,
      env: { ...env, ...options.env },
    }),
  );
  const { id: sessionId } = must(app.log.create(app.project()));
  const state = (): SessionState => must(app.log.open(sessionId)).state;
  const turn = (position: number): Turn => {
    const found = turnAt(state(), position);
    if (!found) throw new Error(`There is no turn ${position}.`);
    return found;
  };
  const send: MainHarness['send'] = async (text, more) => {
    const chosen = await app.chosenModel();
    return must(await app.lines.send({ sessionId, text, runMode: 'ask', ui: true, model: chosen, ...more }));
  };
  return {
    app,
    model,
    home,
    sessionId,
    state,
    turn,
    send,
    async say(text, more) {
      const line = await send(text, more);
      await line.done;
      return turn(line.turn);
    },
    next: (type) =>
      new Promise((settle) => {
        const stop = app.log.subscribe((events) => {
          if (!events.some((event) => event.type === type)) return;
          stop();
          settle();
        });
      }),
    async close() {
      await app.close();
      await model.close();
      if (options.at === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}
