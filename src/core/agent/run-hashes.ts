import type { Artifact } from '#shared/execution';
import type { Json, JsonObject } from '#shared/json';
import type { Plan } from '#shared/plan';
import type { NodeEndStatus } from '#shared/session-event';
import { canonicalHash } from '../tools/canonical-hash';
import { withoutProjectPath } from './project-path';

function relative(value: Json, project: string): Json {
  if (typeof value === 'string') return withoutProjectPath(value, project);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => relative(item, project));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      withoutProjectPath(key, project),
      relative(member, project),
    ]),
  );
}

/**
 * SHA-256 of the plan without its titles: it identifies the plan's behaviour and not its labels. Machine
 * paths are made relative first.
 */
export function planHash(plan: Plan, project: string): string {
  const nodes = plan.nodes.map(({ title: _title, ...node }) => node);
  const plain = JSON.parse(JSON.stringify({ ...plan, nodes })) as Json;
  return canonicalHash(relative(plain, project));
}

/** The part of a finished node that enters the run's hash; metrics and log do not. */
export interface NodeResult {
  readonly id: string;
  readonly status: NodeEndStatus;
  readonly summary: string;
  readonly state?: JsonObject;
  readonly artifacts?: readonly Artifact[];
}

/**
 * SHA-256 over `[id, status, summary, state, artifact handles]` in plan order: equal results have the same
 * hash on every machine.
 */
export function summaryHash(nodes: readonly NodeResult[], project: string): string {
  const rows = nodes.map(({ id, status, summary, state, artifacts }): Json => {
    const handles = (artifacts ?? []).map(({ handle }) => handle);
    return [id, status, summary, state ?? null, handles];
  });
  return canonicalHash(relative(rows, project));
}
