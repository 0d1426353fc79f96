import { appError } from '#shared/app-error';
import { ArtifactHandle } from '#shared/execution';
import type { Artifact, ResultEnvelope } from '#shared/execution';
import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import { ENVELOPE_TOKENS, ScriptResult } from '#shared/sandbox-protocol';
import type { ArtifactStore } from '../../../core/ports/sandbox';
import { parseGuestJson } from './guest-json';
import { spill } from './spill';

export interface EnvelopeParts {
  readonly json: string;
  readonly written: readonly Artifact[];
  readonly artifacts: ArtifactStore;
  readonly metrics: ResultEnvelope['metrics'];
}

/**
 * Maximum size of an envelope: bytes of its JSON, and tokens where the unit's limit is below the general one.
 */
export interface EnvelopeBounds {
  readonly bytes: number;
  readonly tokens: number;
  readonly loadTokenCount: () => Promise<(text: string) => number>;
}

const HINT =
  'Store large values with artifacts.write(name, value); return the few numbers and texts the answer needs.';
/** Longer texts are not tokenized: they have more than 600 tokens or are pure repetition. */
const COUNTED_CHARS = 16_000;

/**
 * Stores oversized parts as artifacts and replaces them with references; refuses more than the node's bytes.
 */
async function lightened(
  envelope: ResultEnvelope,
  artifacts: ArtifactStore,
  bounds: EnvelopeBounds,
): Promise<Result<ResultEnvelope>> {
  const bytes = new TextEncoder().encode(JSON.stringify(envelope)).length;
  if (bytes > bounds.bytes) return weigh(envelope, bounds);
  const spilled = await spill(envelope, artifacts, async (lighter) => (await weigh(lighter, bounds)).ok);
  return spilled.ok ? weigh(spilled.value, bounds) : spilled;
}

/**
 * Builds the envelope from a script's result. Stores oversized parts as artifacts; returns
 * BUDGET/OUTPUT_LIMIT or TOKEN_LIMIT if the envelope is still too large.
 */
export async function buildEnvelope(
  parts: EnvelopeParts,
  bounds: EnvelopeBounds,
): Promise<Result<ResultEnvelope>> {
  const value = parseGuestJson(parts.json);
  if (!value.ok) return value;
  const result = ScriptResult.safeParse(value.value);
  if (!result.success) return err(appError('CODE', 'INVALID_RESULT', 'The script returned something else.'));
  const named = result.data.artifacts;
  const artifacts = named === null ? ok(parts.written) : nameArtifacts(named, parts);
  if (!artifacts.ok) return artifacts;
  const envelope: ResultEnvelope = {
    summary: result.data.summary,
    artifacts: [...artifacts.value],
    state_updates: result.data.state,
    metrics: parts.metrics,
  };
  if (!(await weigh(envelope, bounds)).ok) return lightened(envelope, parts.artifacts, bounds);
  return ok(envelope);
}

function nameArtifacts(handles: readonly string[], parts: EnvelopeParts): Result<readonly Artifact[]> {
  const named: Artifact[] = [];
  for (const handle of new Set(handles)) {
    const known = parts.written.find((artifact) => artifact.handle === handle);
    const artifact = known === undefined ? earlierArtifact(handle, parts.artifacts) : ok(known);
    if (!artifact.ok) return artifact;
    named.push(artifact.value);
  }
  return ok(named);
}

/** Resolves an artifact of an earlier node that the script passes on. */
function earlierArtifact(handle: string, store: ArtifactStore): Result<Artifact> {
  const found = ArtifactHandle.safeParse(handle).success ? store.get(handle) : undefined;
  if (found?.ok !== true) {
    return err(
      appError(
        'CODE',
        'INVALID_RESULT',
        `The script returned an artifact that does not exist: ${handle.slice(0, 100)}.`,
      ),
    );
  }
  return ok({ type: 'text/plain', handle, bytes: new TextEncoder().encode(found.value).length });
}

async function weigh(envelope: ResultEnvelope, bounds: EnvelopeBounds): Promise<Result<ResultEnvelope>> {
  const text = JSON.stringify(envelope);
  const limited = (code: 'OUTPUT_LIMIT' | 'TOKEN_LIMIT', message: string) =>
    err(appError('BUDGET', code, message, { hint: HINT }));
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > bounds.bytes) {
    return limited(
      'OUTPUT_LIMIT',
      `The result has ${bytes} bytes; the limit for this step is ${bounds.bytes}.`,
    );
  }
  if (text.length > COUNTED_CHARS) {
    return limited(
      'OUTPUT_LIMIT',
      `The result has ${text.length} characters; the limit for a step is ${ENVELOPE_TOKENS} tokens.`,
    );
  }
  // A token is at least one byte, so most envelopes need no token count.
  if (bytes <= Math.min(ENVELOPE_TOKENS, bounds.tokens)) return ok(envelope);
  const countTokens = await bounds.loadTokenCount();
  const tokens = countTokens(text);
  if (tokens > ENVELOPE_TOKENS) {
    return limited(
      'OUTPUT_LIMIT',
      `The result has ${tokens} tokens; the limit for a step is ${ENVELOPE_TOKENS}.`,
    );
  }
  if (tokens > bounds.tokens) {
    return limited(
      'TOKEN_LIMIT',
      `The result has ${tokens} tokens; the limit for this step is ${bounds.tokens}.`,
    );
  }
  return ok(envelope);
}
