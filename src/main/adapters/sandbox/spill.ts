import type { Artifact, ResultEnvelope } from '#shared/execution';
import type { JsonObject } from '#shared/json';
import { ok, type Result } from '#shared/result';
import { spilledSummaryName, type Spilled } from '#shared/spilled';
import type { ArtifactStore } from '../../../core/ports/sandbox';

/** Characters shown of a value that is stored elsewhere. */
const headCharacters = 160;
const summaryCharacters = 400;

/** Whether an envelope is within its limits. */
export type Fits = (envelope: ResultEnvelope) => Promise<boolean>;

interface StoredPart {
  readonly artifact: Artifact;
  readonly spilled: Spilled;
}

function storeArtifact(store: ArtifactStore, name: string, content: string): Result<StoredPart> {
  const put = store.put(name, 'application/json', content);
  if (!put.ok) return put;
  const { handle, bytes } = put.value;
  const artifact: Artifact = { type: 'application/json', handle, bytes, name };
  return ok({ artifact, spilled: { $artifact: handle, bytes, head: content.slice(0, headCharacters) } });
}

/** An envelope with one part stored as an artifact and replaced by a reference. */
function withArtifact(
  envelope: ResultEnvelope,
  { artifact }: StoredPart,
  part: Partial<ResultEnvelope>,
): ResultEnvelope {
  return { ...envelope, artifacts: [...envelope.artifacts, artifact], ...part };
}

/** Stores the whole summary as an artifact and keeps its beginning in place. */
function spillSummary(envelope: ResultEnvelope, store: ArtifactStore): Result<ResultEnvelope> {
  const { summary } = envelope;
  if (summary.length <= summaryCharacters) return ok(envelope);
  const stored = storeArtifact(store, spilledSummaryName, JSON.stringify(summary));
  if (!stored.ok) return stored;
  return ok(withArtifact(envelope, stored.value, { summary: `${summary.slice(0, summaryCharacters)}…` }));
}

/**
 * The members worth storing as artifacts, longest first: for a short member, the reference would be no
 * shorter.
 */
const longMembers = (state: JsonObject): readonly (readonly [name: string, json: string])[] =>
  Object.entries(state)
    .map(([name, value]) => [name, JSON.stringify(value)] as const)
    .filter(([, json]) => json.length > 2 * headCharacters + 120)
    .sort(([a, left], [b, right]) => right.length - left.length || (a < b ? -1 : 1));

/**
 * Stores parts of an oversized envelope as artifacts, with references in their place, until it fits: a long
 * summary, then the longest members of the state, else the whole state. No data is lost, and the same result
 * produces the same references. The returned envelope may still not fit; the caller checks.
 */
export async function spill(
  heavy: ResultEnvelope,
  store: ArtifactStore,
  fits: Fits,
): Promise<Result<ResultEnvelope>> {
  const summed = spillSummary(heavy, store);
  if (!summed.ok) return summed;
  let envelope = summed.value;
  for (const [name, json] of longMembers(envelope.state_updates)) {
    if (await fits(envelope)) return ok(envelope);
    const stored = storeArtifact(store, `${name.slice(0, 60)}.json`, json);
    if (!stored.ok) return stored;
    const state_updates = { ...envelope.state_updates, [name]: { ...stored.value.spilled } };
    envelope = withArtifact(envelope, stored.value, { state_updates });
  }
  if (await fits(envelope)) return ok(envelope);
  const whole = storeArtifact(store, 'state.json', JSON.stringify(heavy.state_updates));
  if (!whole.ok) return whole;
  return ok(withArtifact(summed.value, whole.value, { state_updates: { ...whole.value.spilled } }));
}
