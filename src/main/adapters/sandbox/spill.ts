import type { Artifact, ResultEnvelope } from '#shared/execution';
import type { JsonObject } from '#shared/json';
import { ok, type Result } from '#shared/result';
import type { Spilled } from '#shared/spilled';
import type { ArtifactStore } from '../../../core/ports/sandbox';

/** What is shown of a value that is kept elsewhere. */
const headCharacters = 160;
const summaryCharacters = 400;

/** Whether an envelope is light enough. */
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

/** An envelope with one part of it kept as an artifact and a reference in its place. */
function withArtifact(
  envelope: ResultEnvelope,
  { artifact }: StoredPart,
  part: Partial<ResultEnvelope>,
): ResultEnvelope {
  return { ...envelope, artifacts: [...envelope.artifacts, artifact], ...part };
}

/** The whole summary as an artifact, its beginning where it stood. */
function spillSummary(envelope: ResultEnvelope, store: ArtifactStore): Result<ResultEnvelope> {
  const { summary } = envelope;
  if (summary.length <= summaryCharacters) return ok(envelope);
  const stored = storeArtifact(store, 'summary.json', JSON.stringify(summary));
  if (!stored.ok) return stored;
  return ok(withArtifact(envelope, stored.value, { summary: `${summary.slice(0, summaryCharacters)}…` }));
}

/** The members worth keeping elsewhere, the longest first: a reference is no shorter than what is left. */
const longMembers = (state: JsonObject): readonly (readonly [name: string, json: string])[] =>
  Object.entries(state)
    .map(([name, value]) => [name, JSON.stringify(value)] as const)
    .filter(([, json]) => json.length > 2 * headCharacters + 120)
    .sort(([a, left], [b, right]) => right.length - left.length || (a < b ? -1 : 1));

/**
 * An envelope too heavy for its bounds with as much of it kept as artifacts as is needed, and references in its place:
 * the longest members of the state, else the state as a whole, last the summary. Nothing is lost, and the same result
 * gives the same references. What does not fit even so is given back as it is.
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
