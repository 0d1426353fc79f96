import { err, ok, type Result } from '#shared/result';
import type { z } from 'zod';
import type { HttpDeps } from './attempt';
import { createDeadline } from './deadline';
import { invalidFailure, timeoutError, type Endpoint } from './failure';
import { createSdk, readAtMost } from './openai-http';
import { toLlmError } from './to-llm-error';
import { parsedJson } from './wire';

interface JsonRequestOptions {
  /** All requests together, in milliseconds. */
  readonly ms: number;
  /** Headers of the protocol; null removes a shared one. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** Names the answers in errors: "list of models". */
  readonly what: string;
  /** The largest answer. */
  readonly maxBytes: number;
}

export type JsonRequests = ReturnType<typeof openJsonRequests>;

/** Requests to one server for JSON documents, which share one time limit; `close` cancels those that still run. */
export function openJsonRequests(
  deps: HttpDeps,
  endpoint: Endpoint,
  { ms, headers, what, maxBytes }: JsonRequestOptions,
) {
  const deadline = createDeadline(deps.clock, new AbortController().signal);
  deadline.within(ms);
  return {
    /** Gets a document, or posts `body` for it. Errors: LLM. */
    async json<S extends z.ZodType>(schema: S, path: string, body?: object): Promise<Result<z.output<S>>> {
      try {
        const sdk = await createSdk(endpoint, headers, deps.fetch);
        // The SDK leaves a listener on each signal, so that one signal for all would collect them.
        const options = { signal: AbortSignal.any([deadline.signal]), ...(body && { body }) };
        const request = body ? sdk.post(path, options) : sdk.get(path, options);
        const { bytes, whole } = await readAtMost(await request.asResponse(), maxBytes);
        const read = schema.safeParse(whole ? parsedJson(new TextDecoder().decode(bytes)) : undefined);
        return read.success ? ok(read.data) : err(invalidFailure(`no readable ${what}`, endpoint).error);
      } catch (thrown) {
        if (deadline.late()) return err(timeoutError(`did not send its ${what}`, ms, endpoint).error);
        return err(toLlmError(thrown, { endpoint, model: what, now: deps.clock.now() }).error);
      }
    },
    close: deadline.close,
  };
}
