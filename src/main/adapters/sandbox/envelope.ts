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

/** What an envelope may weigh: bytes of its JSON, and tokens where the unit sets fewer than the general bound. */
export interface EnvelopeBounds {
  readonly bytes: number;
  readonly tokens: number;
  readonly loadTokenCount: () => Promise<(text: string) => number>;
}

const HINT =
  'Keep large values with artifacts.write(name, value); return the few numbers and texts the answer needs.';
/** No text of more characters than this is counted: it has more than 600 tokens, or is nothing but repetition. */
const COUNTED_CHARS = 16_000;

/** What weighs too much is kept as artifacts, with references in its place; more than the node's bytes is refused. */
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
 * Builds the envelope from what a script returned. What is too large for it is kept as artifacts; BUDGET/OUTPUT_LIMIT or
 * TOKEN_LIMIT when it weighs too much even so.
 */
export async function buildEnvelope(
  parts: EnvelopeParts,
  bounds: EnvelopeBounds,
): Promise<Result<ResultEnvelope>> {
  const value = parseGuestJson(parts.json);
  if (!value.ok) return value;
  const result = ScriptResult.safeParse(value.value);
  if (!result.success) return err(appError('CODE', 'INVALID_RESULT', 'the script returned something else'));
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

/** An artifact of an earlier node, passed on. */
function earlierArtifact(handle: string, store: ArtifactStore): Result<Artifact> {
  const found = ArtifactHandle.safeParse(handle).success ? store.get(handle) : undefined;
  if (found?.ok !== true) {
    return err(
      appError(
        'CODE',
        'INVALID_RESULT',
        `the script returned an artifact that is not there: ${handle.slice(0, 100)}`,
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
      `the result has ${bytes} bytes; this node gives back at most ${bounds.bytes}`,
    );
  }
  if (text.length > COUNTED_CHARS) {
    return limited(
      'OUTPUT_LIMIT',
      `the result has ${text.length} characters; a node gives back at most ${ENVELOPE_TOKENS} tokens`,
    );
  }
  // A token is at least one byte: most envelopes are light enough without counting.
  if (bytes <= Math.min(ENVELOPE_TOKENS, bounds.tokens)) return ok(envelope);
  const countTokens = await bounds.loadTokenCount();
  const tokens = countTokens(text);
  if (tokens > ENVELOPE_TOKENS) {
    return limited(
      'OUTPUT_LIMIT',
      `the result has ${tokens} tokens; a node gives back at most ${ENVELOPE_TOKENS}`,
    );
  }
  if (tokens > bounds.tokens) {
    return limited(
      'TOKEN_LIMIT',
      `the result has ${tokens} tokens; this node may give back ${bounds.tokens}`,
    );
  }
  return ok(envelope);
}
