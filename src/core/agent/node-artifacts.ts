import type { TaintSource } from '#shared/approval';
import type { ResultEnvelope } from '#shared/execution';
import type { JsonObject } from '#shared/json';
import { ok, type Result } from '#shared/result';
import type { TaintTracker } from '../tools/taint-tracker';
import type { NodeTask, RunContext } from './node-run';
import { attachedName, previousName } from './each';
import { restoreSpilled } from './restore-spilled';

/** Restores the full results of earlier steps for a script, with values stored outside their envelopes. */
export function hydrateInputs(
  run: RunContext,
  { inputs, node }: Pick<NodeTask, 'inputs' | 'node'>,
  origins: TaintTracker,
): Result<JsonObject> {
  const onRead = (handle: string): void => originsOfRead(run, node.id, handle).forEach(origins.add);
  const hydrated: Record<string, JsonObject> = {};
  for (const [id, state] of Object.entries(inputs)) {
    if (id === attachedName) {
      hydrated[id] = state as JsonObject;
      continue;
    }
    const restored =
      id === previousName
        ? hydrateInputs(run, { inputs: state as JsonObject, node }, origins)
        : restoreSpilled(state as JsonObject, run.artifacts, onRead);
    if (!restored.ok) return restored;
    hydrated[id] = restored.value;
  }
  return ok(hydrated);
}

/** The origins of an artifact; an unlabelled artifact is untrusted. */
export function originsOfRead(
  { artifacts }: RunContext,
  nodeId: string,
  handle: string,
): readonly TaintSource[] {
  return artifacts.originsOf(handle) ?? [{ source: 'artifact', nodeId, trusted: false }];
}

/** Labels a node's artifacts with their origins for later readers. */
export function labelArtifacts(
  { artifacts }: RunContext,
  envelope: ResultEnvelope,
  origins: readonly TaintSource[],
): Result<ResultEnvelope> {
  for (const { handle } of envelope.artifacts) {
    const labelled = artifacts.label(handle, origins);
    if (!labelled.ok) return labelled;
  }
  return ok(envelope);
}
