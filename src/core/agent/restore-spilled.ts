import { isObject, parseJson, type Json, type JsonObject } from '#shared/json';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { Artifact } from '#shared/execution';
import { spilledIn, spilledSummaryName } from '#shared/spilled';
import type { ArtifactStore } from '../ports/sandbox';

/** Called with the handle of each value that is read. */
export type OnRead = (handle: string) => void;

/** The whole value behind a reference; any other value as it is. */
export function restoreValue(
  value: Json,
  artifacts: Pick<ArtifactStore, 'get'>,
  onRead?: OnRead,
): Result<Json> {
  const spilled = spilledIn(value);
  if (!spilled) return ok(value);
  onRead?.(spilled.$artifact);
  const content = artifacts.get(spilled.$artifact);
  if (!content.ok) return content;
  const whole = parseJson(content.value);
  return whole.ok
    ? whole
    : err(appError('HOST', 'STORAGE', 'A stored value has changed since it was saved.'));
}

/**
 * Restores the values of a node's state that were too large for its envelope, for scripts, templates and
 * models. HOST/NOT_FOUND or HOST/STORAGE when an artifact is missing or damaged.
 */
export function restoreSpilled(
  state: JsonObject,
  artifacts: Pick<ArtifactStore, 'get'>,
  onRead?: OnRead,
): Result<JsonObject> {
  const whole = restoreValue(state, artifacts, onRead);
  if (!whole.ok) return whole;
  const members = isObject(whole.value) ? whole.value : {};
  const restored: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members)) {
    const member = restoreValue(value, artifacts, onRead);
    if (!member.ok) return member;
    restored[name] = member.value;
  }
  return ok(restored);
}

/**
 * The whole summary of a node: the one in the artifact that begins like a shortened one. HOST/NOT_FOUND or HOST/STORAGE
 * when that artifact is missing or damaged.
 */
export function restoreSummary(
  { summary, artifacts = [] }: { readonly summary: string; readonly artifacts?: readonly Artifact[] },
  store: Pick<ArtifactStore, 'get'>,
): Result<string> {
  if (!summary.endsWith('…')) return ok(summary);
  const head = summary.slice(0, -1);
  for (const { handle, name } of artifacts) {
    if (name !== spilledSummaryName) continue;
    const content = store.get(handle);
    if (!content.ok) return content;
    const whole = parseJson(content.value);
    if (whole.ok && typeof whole.value === 'string' && whole.value.startsWith(head)) return ok(whole.value);
  }
  return ok(summary);
}
