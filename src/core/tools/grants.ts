import {
  boundArguments,
  hostOf,
  pathArguments,
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
  /** The stage of the run that makes the call; absent outside a run in stages. */
  readonly stage?: number | undefined;
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
  /** The arguments of a bundled server's tool that are paths, by name. */
  readonly paths?: ReadonlyMap<string, ResolvedPath>;
}

/** A path as a call writes it, and where it leads: relative to the project, or null for a place outside. */
export interface ResolvedPath {
  readonly written: string;
  readonly real: string | null;
}

/** The saved permission that applies to a call; null: none applies and the user is asked. */
export interface SavedPermission {
  readonly decision: Grant['decision'];
  readonly grant: Grant;
}

function isInScope(reach: GrantScope, { project, sessionId, runId, stage }: GrantContext): boolean {
  switch (reach.kind) {
    case 'run':
      return reach.runId === runId && (reach.stage ?? stage) === stage;
    case 'session':
      return reach.sessionId === sessionId;
    case 'always':
      return reach.project === project;
  }
}

/** A prefix constrains a path only if no segment of the path leads up. */
const leadsUp = (text: string): boolean => text.split(/[\\/]/).includes('..');

/** A folder does not include Git's and Patina's own folders below it: they hold rules, not content. */
const privateNames: ReadonlySet<string> = new Set(['.git', '.patina']);

/** Whether a path of the project is below a folder. */
function isWithin(folder: string, real: string): boolean {
  const parts = real.split('/');
  const wanted = folder === '.' ? [] : folder.split('/');
  if (parts.length <= wanted.length || wanted.some((part, at) => parts[at] !== part)) return false;
  return !parts.slice(wanted.length).some((part) => privateNames.has(part.toLowerCase()));
}

/** Whether a path leads where it says: through no link. */
function followsNoLink({ written, real }: ResolvedPath, project: string): boolean {
  const inside = written.startsWith(`${project}/`) ? written.slice(project.length + 1) : written;
  const plain = inside.split('/').filter((part) => part !== '' && part !== '.');
  return plain.join('/') === real;
}

function fitsText(
  rule: ArgumentRule,
  value: string,
  path: ResolvedPath | undefined,
  project: string,
): boolean {
  if ('within' in rule)
    return path?.written === value && path.real !== null && isWithin(rule.within, path.real);
  if (!('beginsWith' in rule) || !value.startsWith(rule.beginsWith) || leadsUp(value)) return false;
  return path === undefined || (path.written === value && followsNoLink(path, project));
}

function fits(name: string, rule: ArgumentRule, value: Json, { paths, context }: GrantedCall): boolean {
  if ('is' in rule) return sameJson(rule.is, value);
  if ('host' in rule) return hostOf(value) === rule.host;
  return typeof value === 'string' && fitsText(rule, value, paths?.get(name), context.project);
}

/** A permission for a folder says of each path of a call where it may lead. */
function bindsAllPaths(where: Grant['where'], args: JsonObject): boolean {
  const named = pathArguments.filter((name) => Object.hasOwn(args, name) && typeof args[name] === 'string');
  const forFolder = Object.values(where).some((rule) => 'within' in rule);
  return !forFolder || named.every((name) => Object.hasOwn(where, name));
}

const bound = (where: Grant['where'], call: GrantedCall): boolean =>
  bindsAllPaths(where, call.arguments) &&
  Object.entries(where).every(([name, rule]) => {
    const value = Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined;
    return value !== undefined && fits(name, rule, value, call);
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
      decision === 'allow' && definition === call.definition && bound(where, call),
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
      return { kind, runId: context.runId, stage: context.stage };
    case 'session':
      return { kind, sessionId: context.sessionId ?? '' };
    case 'always':
      return { kind, project: context.project };
  }
}

/**
 * Builds the saved permissions that a request creates from the calls on a card: one per tool and binding,
 * only for calls answered that way, and none for a call that has no argument to bind. Pure.
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
    if (!where || grants.some((one) => one.tool === tool && sameJson(one.where, where))) continue;
    const known = decision === 'allow' && definition !== undefined ? { definition } : {};
    grants.push({ decision, tool, where, reach: scopeOf(request.reach, context), ...known });
  }
  return grants;
}
