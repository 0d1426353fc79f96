import {
  boundArguments,
  type ArgumentRule,
  type Grant,
  type GrantScope,
  type GrantRequest,
} from '#shared/grant';
import { sameJson, type Json, type JsonObject } from '#shared/json';

/** The context of a call. Without a session no `allow` applies, but every `never` of the project does. */
export interface GrantContext {
  readonly project: string;
  readonly sessionId?: string | undefined;
  readonly runId: string;
}

/** The parts of a call that saved permissions depend on. */
export interface GrantedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The fingerprint of the tool's definition, if it has one. */
  readonly definition?: string | undefined;
  /** The arguments may contain text from an untrusted server. */
  readonly tainted: boolean;
  readonly context: GrantContext;
}

/** The saved permission that applies to a call; null: none applies and the user is asked. */
export interface SavedPermission {
  readonly decision: Grant['decision'];
  readonly grant: Grant;
}

function isInScope(reach: GrantScope, { project, sessionId, runId }: GrantContext): boolean {
  switch (reach.kind) {
    case 'run':
      return reach.runId === runId;
    case 'session':
      return reach.sessionId === sessionId;
    case 'always':
      return reach.project === project;
  }
}

/** A prefix constrains a path only if no segment of the path leads up. */
const leadsUp = (text: string): boolean => text.split(/[\\/]/).includes('..');

function fits(rule: ArgumentRule, value: Json): boolean {
  if ('is' in rule) return sameJson(rule.is, value);
  return typeof value === 'string' && value.startsWith(rule.beginsWith) && !leadsUp(value);
}

const bound = (where: Grant['where'], args: JsonObject): boolean =>
  Object.entries(where).every(([name, rule]) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    return value !== undefined && fits(rule, value);
  });

/**
 * Finds the saved permission that applies to a call. A `never` wins over every `allow`. An `allow` applies
 * only within a session, to the definition that the user knew, to arguments that match its bindings, and to a
 * call whose arguments cannot contain untrusted text. Pure.
 */
export function findSavedPermission(grants: readonly Grant[], call: GrantedCall): SavedPermission | null {
  const inScope = grants.filter(({ tool, reach }) => tool === call.tool && isInScope(reach, call.context));
  const never = inScope.find(({ decision }) => decision === 'never');
  if (never) return { decision: 'never', grant: never };
  if (call.tainted || call.context.sessionId === undefined) return null;
  const allow = inScope.find(
    ({ decision, where, definition }) =>
      decision === 'allow' && definition === call.definition && bound(where, call.arguments),
  );
  return allow ? { decision: 'allow', grant: allow } : null;
}

/** A call that a card showed, with the known facts about its tool. */
export interface AnsweredCall extends Omit<GrantedCall, 'tainted' | 'context'> {
  readonly approved: boolean;
}

function scopeOf(kind: GrantRequest['reach'], context: Required<GrantContext>): GrantScope {
  switch (kind) {
    case 'run':
      return { kind, runId: context.runId };
    case 'session':
      return { kind, sessionId: context.sessionId ?? '' };
    case 'always':
      return { kind, project: context.project };
  }
}

/**
 * Builds the saved permissions that a request creates from the calls on a card: one per tool and binding,
 * only for calls answered that way. Pure.
 */
export function grantsOf(
  request: GrantRequest,
  calls: readonly AnsweredCall[],
  context: Required<GrantContext>,
): readonly Omit<Grant, 'id' | 'at'>[] {
  const { decision } = request;
  const answered = calls.filter(({ approved }) => approved === (decision === 'allow'));
  const grants: Omit<Grant, 'id' | 'at'>[] = [];
  for (const { tool, arguments: args, definition } of answered) {
    const where = boundArguments(request, args);
    if (grants.some((one) => one.tool === tool && sameJson(one.where, where))) continue;
    const known = decision === 'allow' && definition !== undefined ? { definition } : {};
    grants.push({ decision, tool, where, reach: scopeOf(request.reach, context), ...known });
  }
  return grants;
}
