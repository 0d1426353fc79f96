import { z } from 'zod';
import type { ModelDetails } from '#shared/provider-row';
import type { HttpDeps } from './attempt';
import type { Endpoint } from './failure';
import { openJsonRequests, type JsonRequests } from './json-requests';
import { entriesOf, ListedModel, optionalField, size, words } from './model-list';
import { wires } from './wires';

const maxBytes = 4 * 1024 * 1024;
/** Of a server that describes one model at a time. */
const [maxDescribed, atOnce] = [200, 8];

/**
 * What a server says of its models at the address that its row names, by listed id. Never fails: without a usable
 * answer in time, the rest stays unknown.
 */
export async function fetchDetails(
  deps: HttpDeps,
  endpoint: Endpoint,
  ids: readonly string[],
): Promise<readonly ListedModel[]> {
  if (endpoint.details === undefined) return [];
  const { form, path } = endpoint.details;
  const requests = openJsonRequests(deps, endpoint, {
    ms: deps.limits.detailsMs,
    headers: { ...wires[endpoint.wire].headers(endpoint), ...(form === 'gemini' && googleKey(endpoint)) },
    what: 'details of models',
    maxBytes,
  });
  try {
    return await readers[form](requests, `/${path}`, ids);
  } finally {
    requests.close();
  }
}

type Reader = (
  requests: JsonRequests,
  path: string,
  ids: readonly string[],
) => Promise<readonly ListedModel[]>;

const readers: Readonly<Record<ModelDetails['form'], Reader>> = {
  async gemini(requests, path) {
    const listed = await requests.json(GeminiList, `${path}?pageSize=1000`);
    return listed.ok ? listed.value.models : [];
  },
  async ollama(requests, path, ids) {
    const described: ListedModel[] = [];
    const wanted = ids.slice(0, maxDescribed);
    for (let from = 0; from < wanted.length; from += atOnce) {
      const some = wanted.slice(from, from + atOnce);
      const answers = await Promise.all(
        some.map((id) => requests.json(describedAs(id), path, { model: id })),
      );
      // A server that answers none of them does not know the address, or has no time left.
      if (!answers.some(({ ok }) => ok)) break;
      described.push(...answers.flatMap((answer) => (answer.ok ? [answer.value] : [])));
    }
    return described;
  },
};

/** Outside of its OpenAI-compatible addresses, Google takes the key in a header of its own. */
const googleKey = ({ key }: Endpoint) => (key === null ? {} : { Authorization: null, 'x-goog-api-key': key });

const GeminiList = z.object({
  models: entriesOf(
    ListedModel.omit({ id: true })
      .extend({ name: ListedModel.shape.id })
      .transform(({ name, ...facts }): ListedModel => ({ ...facts, id: name })),
  ),
});

/** Ollama's description of a model, as the entry of a list. */
const describedAs = (id: string) =>
  z
    .object({
      capabilities: words,
      model_info: optionalField(z.record(z.string(), z.unknown())),
      parameters: optionalField(z.string()),
    })
    .transform(({ capabilities, model_info: info = {}, parameters = '' }): ListedModel => {
      const trained = size.parse(info[`${String(info['general.architecture'])}.context_length`]);
      // A model may be set to less than it was trained for; Ollama cuts longer conversations without a word.
      const [, set] = /^num_ctx\s+(\d+)\s*$/m.exec(parameters) ?? [];
      const sizes = [trained, size.parse(Number(set))].filter((tokens) => tokens !== undefined);
      return { id, capabilities, context_length: sizes.length > 0 ? Math.min(...sizes) : undefined };
    });
