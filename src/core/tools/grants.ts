import {
  boundArguments,
  type ArgumentRule,
  type Grant,
  type GrantReach,
  type GrantWish,
} from '#shared/grant';
import { sameJson, type Json, type JsonObject } from '#shared/json';

/** Where a call is made; without a session no yes stands, and every no of the project does. */
export interface GrantPlace {
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
  readonly place: GrantPlace;
}

/** What standing answers say about a call; null: nothing, the user is asked. */
export interface StandingAnswer {
  readonly decision: Grant['decision'];
  readonly grant: Grant;
}

function reaches(reach: GrantReach, { project, sessionId, runId }: GrantPlace): boolean {
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
export function standingAnswer(grants: readonly Grant[], call: GrantedCall): StandingAnswer | null {
  const near = grants.filter(({ tool, reach }) => tool === call.tool && reaches(reach, call.place));
  const never = near.find(({ decision }) => decision === 'never');
  if (never) return { decision: 'never', grant: never };
  if (call.tainted || call.place.sessionId === undefined) return null;
  const allow = near.find(
    ({ decision, where, definition }) =>
      decision === 'allow' && definition === call.definition && bound(where, call.arguments),
  );
  return allow ? { decision: 'allow', grant: allow } : null;
}

/** A call that a card showed, with what is known of its tool. */
export interface AnsweredCall extends Omit<GrantedCall, 'tainted' | 'place'> {
  readonly approved: boolean;
}

function reachOf(kind: GrantWish['reach'], place: Required<GrantPlace>): GrantReach {
  switch (kind) {
    case 'run':
      return { kind, runId: place.runId };
    case 'session':
      return { kind, sessionId: place.sessionId ?? '' };
    case 'always':
      return { kind, project: place.project };
  }
}

/** The standing answers a wish makes of the calls on a card: one for each tool and binding, of those answered that way. Pure. */
export function grantsOf(
  wish: GrantWish,
  calls: readonly AnsweredCall[],
  place: Required<GrantPlace>,
): readonly Omit<Grant, 'id' | 'at'>[] {
  const { decision } = wish;
  const meant = calls.filter(({ approved }) => approved === (decision === 'allow'));
  const made: Omit<Grant, 'id' | 'at'>[] = [];
  for (const { tool, arguments: args, definition } of meant) {
    const where = boundArguments(wish, args);
    if (made.some((one) => one.tool === tool && sameJson(one.where, where))) continue;
    const known = decision === 'allow' && definition !== undefined ? { definition } : {};
    made.push({ decision, tool, where, reach: reachOf(wish.reach, place), ...known });
  }
  return made;
}
