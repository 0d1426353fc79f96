import { appError, type AppError } from '#shared/app-error';
import type { Origin } from '#shared/approval';
import type { Budgets } from '#shared/budgets';
import { Plan, PlanNode } from '#shared/plan';
import { err, ok, type Result } from '#shared/result';
import type { ToolListing } from '../tools/call-scope';
import { checkBudgets } from './check-budgets';
import { checkNodeCode } from './check-node-code';
import { parseTemplate } from './template';

/** A plan that may run: its nodes in an order that respects their dependencies, each with the exact tools it gets. */
export interface CheckedPlan {
  readonly plan: Plan;
  readonly order: readonly PlanNode[];
  readonly toolsOf: ReadonlyMap<string, readonly string[]>;
  /** The approval node that was inserted before a node, by the node's id. */
  readonly announcerOf?: ReadonlyMap<string, string>;
  /** Where the text of a node may come from that a model wrote knowing results, by the node's id. */
  readonly originsOf?: ReadonlyMap<string, readonly Origin[]>;
}

const most = 20;

function finding(message: string, node?: string): AppError {
  return appError('CODE', 'INVALID_PLAN', message, node === undefined ? {} : { node });
}

/** All findings as one error: the first one's kind and code, every one in the message and in `problems`. */
export function joinFindings(findings: readonly AppError[]): AppError {
  const [first = finding('The plan is not valid.')] = findings;
  const line = (found: AppError): string => {
    const place =
      found.line === undefined
        ? ''
        : ` (line ${found.line}${found.column ? `, column ${found.column}` : ''})`;
    return `${found.node === undefined ? '' : `${found.node}: `}${found.message}${place}${found.hint ? ` ${found.hint}` : ''}`;
  };
  const problems = findings.slice(0, most).map((found) => ({
    file: 'plan',
    field: found.node === undefined ? 'plan' : `nodes.${found.node}`,
    rule: found.code,
    reason: line(found),
  }));
  return findings.length === 1
    ? first
    : { ...first, message: findings.slice(0, most).map(line).join('\n'), problems };
}

/** Reads a plan from parsed JSON; findings name the field. */
export function readPlan(value: unknown): Result<Plan, readonly AppError[]> {
  const parsed = Plan.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err(
    parsed.error.issues.map((issue) => finding(`${issue.path.join('.') || 'plan'}: ${issue.message}`)),
  );
}

function checkIds(plan: Plan): readonly AppError[] {
  const known = new Set(plan.nodes.map((node) => node.id));
  const twice = plan.nodes.filter(
    (node, index) => plan.nodes.findIndex(({ id }) => id === node.id) !== index,
  );
  const unknown = plan.nodes.flatMap((node) =>
    node.deps
      .filter((dep) => !known.has(dep))
      .map((dep) => finding(`depends on "${dep}", which is no step.`, node.id)),
  );
  return [...twice.map((node) => finding('two steps have this id.', node.id)), ...unknown];
}

/** Steps in dependency order, plan order among equals; what is left over lies on a cycle. */
function sortNodes(plan: Plan): {
  readonly order: readonly PlanNode[];
  readonly cyclic: readonly PlanNode[];
} {
  const order: PlanNode[] = [];
  const placed = new Set<string>();
  let left = [...plan.nodes];
  for (let moved = true; moved;) {
    const ready = left.filter((node) => node.deps.every((dep) => placed.has(dep)));
    for (const node of ready) placed.add(node.id);
    order.push(...ready);
    left = left.filter((node) => !ready.includes(node));
    moved = ready.length > 0;
  }
  return { order, cyclic: left };
}

function checkKinds(node: PlanNode): readonly AppError[] {
  const script = node.kind === 'script';
  if (script && node.code === undefined) return [finding('a script step needs "code".', node.id)];
  if (!script && node.code !== undefined)
    return [finding(`a step of kind ${node.kind} has no "code".`, node.id)];
  if (node.kind === 'llm' && node.prompt === undefined)
    return [finding('an llm step needs a "prompt".', node.id)];
  if (node.kind === 'llm' && node.tools?.length) return [finding('an llm step has no tools.', node.id)];
  return [];
}

function checkAnswer(plan: Plan): readonly AppError[] {
  if (typeof plan.answer !== 'string') return [];
  const parts = parseTemplate(plan.answer);
  if (!parts.ok) return [parts.error];
  const known = new Set(plan.nodes.map((node) => node.id));
  const unknown = parts.value.flatMap((part) =>
    part.type === 'value' && !known.has(part.path[0] ?? '') ? [part.path.join('.')] : [],
  );
  return unknown.map((path) => finding(`The answer names {{${path}}}, which is no step's result.`));
}

/** The nodes of a plan that is no plan yet: those that can be read, so that what is wrong inside them is found as well. */
function readableNodes(value: unknown): readonly PlanNode[] {
  const nodes = (value as { readonly nodes?: unknown } | null)?.nodes;
  if (!Array.isArray(nodes)) return [];
  return (nodes as readonly unknown[]).flatMap((node) => {
    const read = PlanNode.safeParse(node);
    return read.success ? [read.data] : [];
  });
}

function checkCycle(plan: Plan, cyclic: readonly PlanNode[]): readonly AppError[] {
  if (cyclic.length === 0 || checkIds(plan).length > 0) return [];
  const names = cyclic.map(({ id }) => id).join(', ');
  return [finding(`The steps ${names} depend on each other in a circle.`)];
}

/** The plan as it will be shown and run: each script declares exactly the tools its code can reach. */
function declareTools(plan: Plan, toolsOf: ReadonlyMap<string, readonly string[]>): Plan {
  const nodes = plan.nodes.map((node) =>
    node.code === undefined ? node : { ...node, tools: [...(toolsOf.get(node.id) ?? [])] },
  );
  return { ...plan, nodes };
}

/**
 * Every finding at once: fields, structure, code, tools, budgets, answer. The first decides the error's code
 * (CODE/INVALID_PLAN, SYNTAX_ERROR, FORBIDDEN, UNKNOWN_TOOL, BUDGET/NODE_LIMIT, TOOL_CALLS). Nothing has run yet.
 */
export function checkPlan(
  value: unknown,
  listing: ToolListing,
  budgets: Budgets,
): Result<CheckedPlan, readonly AppError[]> {
  const read = readPlan(value);
  const readable = read.ok ? read.value.nodes : readableNodes(value);
  const codes = readable.map((node) => ({ node, ...checkNodeCode(node, listing) }));
  const inNodes = [...readable.flatMap(checkKinds), ...codes.flatMap(({ findings }) => findings)];
  if (!read.ok) return err([...read.error, ...inNodes]);
  const plan = read.value;
  const { order, cyclic } = sortNodes(plan);
  const sites = new Map(codes.map(({ node, callSites }) => [node.id, callSites]));
  const findings = [
    ...checkIds(plan),
    ...checkCycle(plan, cyclic),
    ...inNodes,
    ...checkBudgets(plan, sites, budgets),
    ...checkAnswer(plan),
  ];
  if (findings.length > 0) return err(findings);
  const toolsOf = new Map(codes.map(({ node, tools }) => [node.id, tools]));
  const declared = declareTools(plan, toolsOf);
  const byId = new Map(declared.nodes.map((node) => [node.id, node]));
  return ok({ plan: declared, order: order.map((node) => byId.get(node.id) ?? node), toolsOf });
}
