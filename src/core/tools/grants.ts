import {
  boundArguments,
  type ArgumentRule,
  type Grant,
  type GrantScope,
  type GrantRequest,
} from '#shared/grant';
import { sameJson, type Json, type JsonObject } from '#shared/json';

/** Where a call is made; without a session no yes stands, and every no of the project does. */
export interface GrantContext {
  readonly project: string;
  readonly sessionId?: string | undefined;
  readonly runId: string;
}

/** One call, as far as standing answers look at it. */
export interface GrantedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The hash of the tool's definition, where it has one. */
  readonly definition?: string | undefined;
  /** Text of a server that nobody vouches for may be in the arguments. */
  readonly tainted: boolean;
  readonly context: GrantContext;
}

/** What standing answers say about a call; null: nothing, the user is asked. */
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

/** A beginning says where a path leads only if no part of it leads back up. */
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
 * What the user's standing answers say about a call. A no wins over every yes. A yes needs a session, the definition the
 * user knew, arguments as they were bound, and that no text nobody vouches for may be in them. Pure.
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

/** A call that a card showed, with what is known of its tool. */
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

/** The standing answers a wish makes of the calls on a card: one for each tool and binding, of those answered that way. Pure. */
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
