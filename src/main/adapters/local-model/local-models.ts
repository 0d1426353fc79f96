import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createListeners } from '#shared/listeners';
import {
  localProviderId,
  memoryShare,
  type LocalModel,
  type LocalModelsView,
  type ModelOffer,
  type OfferedModel,
} from '#shared/local-model';
import type { ProviderModels } from '#shared/model';
import { err, type Result } from '#shared/result';
import type {
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
} from '../../../core/ports/llm';
import type { LocalMessage } from './messages';
import { addressOf, type ModelDownload } from './model-download';
import { unknownModel, type ModelFolder } from './model-folder';
import { tooLittleMemory, type ModelRunner, type ReplyBody } from './model-runner';

const Call = z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });

export const localProviderName = 'This computer';

/** A result of a tool, in a conversation that another model began. */
const plain = (message: ModelMessage): LocalMessage =>
  message.role === 'tool'
    ? { role: 'user', content: `Result of a tool:\n${message.content}` }
    : { role: message.role, content: message.content };

/** A conversation as a small model takes it: one system message, then user and assistant in turn, the user last. */
export function localMessages(messages: readonly ModelMessage[]): readonly LocalMessage[] {
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n\n');
  const turns: LocalMessage[] = [];
  for (const message of messages
    .filter(({ role, content }) => role !== 'system' && content !== '')
    .map(plain)) {
    const last = turns.at(-1);
    if (last?.role === message.role)
      turns.splice(-1, 1, { ...last, content: `${last.content}\n\n${message.content}` });
    else turns.push(message);
  }
  if (turns.at(-1)?.role !== 'user') turns.push({ role: 'user', content: 'Continue.' });
  return system === '' ? turns : [{ role: 'system', content: system }, ...turns];
}

function replyBody(request: ModelRequest): ReplyBody {
  const { messages, tools = [], maxOutputTokens, temperature, stop, responseFormat } = request;
  const json = responseFormat && (responseFormat.schema ?? true);
  return {
    messages: localMessages(tools.length > 0 ? [toolInstructions(tools), ...messages] : messages),
    ...(maxOutputTokens !== undefined && { maxTokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stop && { stop }),
    ...(json !== undefined && { json }),
  };
}

/** The text that tells a model without native tool calls what it can call, and how. */
function toolInstructions(tools: readonly ModelTool[]): ModelMessage {
  const lines = tools.map(
    ({ name, description, parameters }) => `- ${name}(${JSON.stringify(parameters)}): ${description}`,
  );
  const form = '{"name": "the function", "arguments": {}}';
  return {
    role: 'system',
    content: ['Functions:', ...lines, `To call one, reply with this JSON and nothing else: ${form}`].join(
      '\n',
    ),
  };
}

/** The call that a whole reply is, if it names one of these tools. */
function callIn(text: string, tools: readonly ModelTool[]): ModelToolCall | null {
  try {
    const call = Call.safeParse(JSON.parse(text));
    if (!call.success || !tools.some(({ name }) => name === call.data.name)) return null;
    return { id: randomUUID(), name: call.data.name, argumentsJson: JSON.stringify(call.data.arguments) };
  } catch {
    return null;
  }
}

/** Streams a reply in words, and turns one that is the JSON of a call into that call. */
export async function* withCalls(
  events: AsyncIterable<ModelEvent>,
  tools: readonly ModelTool[],
): AsyncGenerator<ModelEvent> {
  let withheld = '';
  let words = false;
  for await (const event of events) {
    if (event.type === 'text' && !words) {
      withheld += event.text;
      words = !/^\s*(\{|$)/.test(withheld);
      if (words) yield { type: 'text', text: withheld };
    } else {
      if ((event.type === 'end' || event.type === 'error') && !words && withheld !== '') {
        const call = event.type === 'end' ? callIn(withheld, tools) : null;
        yield call ? { type: 'tool-call', call } : { type: 'text', text: withheld };
      }
      yield event;
    }
  }
}

export interface LocalModelDeps {
  readonly folder: ModelFolder;
  readonly runner: ModelRunner;
  readonly download: ModelDownload;
  /** The model to offer. */
  readonly offered: OfferedModel;
  /** The address to download from in place of the model's own host; empty: that host. */
  readonly mirror: () => string;
  readonly memory: { readonly free: () => number; readonly total: number };
}

/** The offered model with what a user needs to know before the download, and how far it is. */
function offerOf({ folder, download, offered, mirror, memory }: LocalModelDeps): ModelOffer | null {
  if (folder.find(offered.name)) return null;
  const { name, title, licence, page, bytes } = offered;
  const address = addressOf(offered, mirror());
  return {
    name,
    title,
    licence,
    page,
    bytes,
    from: address.ok ? address.value.host : mirror(),
    freeDisk: folder.freeDisk(),
    freeMemory: memory.free(),
    ...download.state(offered),
  };
}

export type LocalModels = ReturnType<typeof createLocalModels>;

/** The models on this computer: their files, and a provider that runs them. */
export function createLocalModels(deps: LocalModelDeps) {
  const { folder, runner, download, offered, mirror, memory } = deps;
  const changed = createListeners<[]>();
  return {
    view: (): LocalModelsView => ({ models: folder.list(), offer: offerOf(deps) }),
    onChange: changed.add,
    /** Also during a download. */
    onProgress(listener: () => void): () => void {
      const ends = [changed.add(listener), download.onProgress(listener)];
      return () => ends.forEach((end) => end());
    },
    /** Downloads the offered model, or joins the download that runs. Errors: see `local-model-download`. */
    async download(from = mirror()): Promise<Result<LocalModel>> {
      const address = addressOf(offered, from);
      if (!address.ok) return address;
      if (memory.total < offered.bytes * memoryShare) return err(tooLittleMemory(offered, memory.total));
      const ended = await download.start(offered, address.value);
      if (ended.ok) changed.notify();
      return ended;
    },
    stopDownload(): null {
      download.stop();
      return null;
    },
    async add(path: string): Promise<Result<LocalModel>> {
      const added = await folder.add(path);
      if (added.ok) changed.notify();
      return added;
    },
    remove(name: string): Result<null> {
      // A system may refuse to delete a file in use.
      runner.unload();
      const removed = folder.remove(name);
      if (removed.ok) changed.notify();
      return removed;
    },
    /** The provider as lists show it; null while there is no model. */
    provider(): ProviderModels | null {
      const models = folder.list();
      if (models.length === 0) return null;
      const perModel = <T>(fact: (model: LocalModel) => T): Record<string, T> =>
        Object.fromEntries(models.map((model) => [model.name, fact(model)]));
      return {
        providerId: localProviderId,
        name: localProviderName,
        source: 'local',
        hasKey: false,
        models: models.map(({ name }) => name),
        contextTokens: perModel(({ contextTokens }) => contextTokens),
        abilities: perModel(() => ({ images: false, tools: false })),
        prices: perModel(() => ({ input: 0, output: 0 })),
      };
    },
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const model = folder.find(request.model.model);
      if (!model) {
        yield { type: 'error', error: unknownModel(request.model.model), unanswered: true };
        return;
      }
      const { tools = [], background } = request;
      const file = { ...model, path: folder.fileOf(model.name) };
      const events = runner.reply(file, replyBody(request), signal, background);
      yield* tools.length > 0 ? withCalls(events, tools) : events;
    },
    close(): void {
      download.stop();
      runner.unload();
    },
  };
}
