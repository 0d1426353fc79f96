import { appError, type AppError } from '#shared/app-error';
import type { TaintSource } from '#shared/approval';
import { maxNodes, type Budgets } from '#shared/budgets';
import type { JsonObject } from '#shared/json';
import { Plan, PlanNode } from '#shared/plan';
import { err, ok, type Result } from '#shared/result';
import type { ToolListing } from '../tools/call-scope';
import { checkBudgets, tooManyNodes } from './check-budgets';
import { stateNamesOf } from './answer-slips';
import { checkNodeCode, missingInput, undefinedNames } from './check-node-code';
import { attachedName, eachOfSession, itemsAt, previousName, readEach, type ItemSource } from './each';
import { parseTemplate } from './template';

/** A plan that may run: its nodes in dependency order, each with exactly the tools available to it. */
export interface CheckedPlan {
  readonly plan: Plan;
  readonly order: readonly PlanNode[];
  readonly toolsOf: ReadonlyMap<string, readonly string[]>;
  /** The approval node inserted before a node, keyed by the node's id. */
  readonly approvalNodeOf?: ReadonlyMap<string, string>;
  /** The taint sources of nodes whose text a model wrote after it had seen results, keyed by node id. */
  readonly originsOf?: ReadonlyMap<string, readonly TaintSource[]>;
  /** The results of earlier stages that a script reads, keyed by its id. */
  readonly readsOf?: ReadonlyMap<string, readonly string[]>;
}

/** The earlier results that a plan may read. */
export interface EarlierNodes {
  /** Their results can be read, and their ids are taken. */
  readonly done: ReadonlySet<string>;
  /** The results themselves, as far as they are known here. */
  readonly states?: ReadonlyMap<string, JsonObject>;
  /** Approval nodes, whose ids are the host's. */
  readonly approvals: ReadonlySet<string>;
  /** The inputs that the session has for scripts: `previous`, `attached`. */
  readonly ofSession?: readonly string[];
}

export const noEarlierNodes: EarlierNodes = { done: new Set(), approvals: new Set() };

const maxFindings = 20;

function finding(message: string, node?: string): AppError {
  return appError('CODE', 'INVALID_PLAN', message, node === undefined ? {} : { node });
}

/**
 * Joins all findings into one error with the first finding's kind, code and place; `message` and `problems` list
 * them up to a limit, each with its own place and hint. A single finding is returned as it is.
 */
export function joinFindings(findings: readonly AppError[]): AppError {
  const [first = finding('The plan is not valid.')] = findings;
  const line = (found: AppError): string => {
    const place =
      found.line === undefined
        ? ''
        : ` (line ${found.line}${found.column ? `, column ${found.column}` : ''})`;
    return `${found.node === undefined ? '' : `${found.node}: `}${found.message}${place}${found.hint ? ` ${found.hint}` : ''}`;
  };
  const problems = findings.slice(0, maxFindings).map((found) => ({
    file: 'plan',
    field: found.node === undefined ? 'plan' : `nodes.${found.node}`,
    rule: found.code,
    reason: line(found),
  }));
  if (findings.length === 1) return first;
  const { hint: _hint, ...rest } = first;
  return { ...rest, message: findings.slice(0, maxFindings).map(line).join('\n'), problems };
}

/** The advice to a model whose plan has no steps. */
export const answerInText = 'If there is nothing to run, answer in text instead.';

const noSteps = appError('CODE', 'INVALID_PLAN', 'nodes: A plan has at least one step.', {
  hint: answerInText,
});

const noObject = finding('plan: must be a JSON object with "goal", "nodes" and "answer".');

/** Parses a plan from JSON; each finding names its field. */
export function readPlan(value: unknown): Result<Plan, readonly AppError[]> {
  const parsed = Plan.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return err([noObject]);
  const { nodes = [] } = value as { readonly nodes?: unknown };
  if (Array.isArray(nodes) && nodes.length === 0) return err([noSteps]);
  return err(
    parsed.error.issues.map((issue) => finding(`${issue.path.join('.') || 'plan'}: ${issue.message}`)),
  );
}

/** The fields of a step that determine the order; readable even when other fields of the plan are invalid. */
interface OrderedStep {
  readonly id: string;
  /** Includes the step whose items it runs over. */
  readonly deps: readonly string[];
}

const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): value is string => typeof value === 'string';

/** A step that runs over the items of another one waits for it; an earlier run has ended. */
function depsWith(deps: readonly string[], each: unknown): readonly string[] {
  const source = isText(each) ? readEach(each)?.source : undefined;
  return source === undefined || reserved.has(source) ? deps : [...new Set([...deps, source])];
}

function stepsOf(nodes: readonly unknown[]): readonly OrderedStep[] {
  return nodes.flatMap((node) => {
    const { id, deps, each } = (node ?? {}) as Partial<Record<keyof PlanNode, unknown>>;
    return isText(id) ? [{ id, deps: depsWith(asArray(deps).filter(isText), each) }] : [];
  });
}

/** Names that `inputs` has besides the nodes of a run. */
const reserved: ReadonlySet<string> = new Set([previousName, attachedName]);

function takenIds(steps: readonly OrderedStep[], { done, approvals }: EarlierNodes): readonly AppError[] {
  return steps.flatMap(({ id }) => {
    if (reserved.has(id)) return [finding('this id is reserved.', id)];
    return done.has(id) || approvals.has(id)
      ? [finding('an earlier step of this run has this id; give it another one.', id)]
      : [];
  });
}

function checkIds(steps: readonly OrderedStep[], { done }: EarlierNodes): readonly AppError[] {
  const known = new Set([...done, ...steps.map(({ id }) => id)]);
  const twice = steps.filter((place, index) => steps.findIndex(({ id }) => id === place.id) !== index);
  const unknown = steps.flatMap(({ id, deps }) =>
    deps
      .filter((dep) => !known.has(dep))
      .map((dep) => finding(`depends on "${dep}", which is not a step of the plan.`, id)),
  );
  return [...twice.map(({ id }) => finding('two steps have this id.', id)), ...unknown];
}

/** Sorts steps by dependency, in plan order among equals; `left` contains steps on a cycle or behind one. */
function sortNodes<Node extends OrderedStep>(
  nodes: readonly Node[],
): { readonly order: readonly Node[]; readonly left: readonly Node[] } {
  const order: Node[] = [];
  const known = new Set(nodes.map(({ id }) => id));
  const placed = new Set<string>();
  let left = [...nodes];
  for (let moved = true; moved;) {
    const ready = left.filter(({ deps }) => deps.every((dep) => placed.has(dep) || !known.has(dep)));
    for (const node of ready) placed.add(node.id);
    order.push(...ready);
    left = left.filter((node) => !ready.includes(node));
    moved = ready.length > 0;
  }
  return { order, left };
}

/** Reduces `left` to the steps on a cycle by repeatedly removing steps that no other step waits for. */
function onCycle(left: readonly OrderedStep[]): readonly OrderedStep[] {
  const awaited = new Set(left.flatMap(({ deps }) => deps));
  const inner = left.filter(({ id }) => awaited.has(id));
  return inner.length === left.length ? inner : onCycle(inner);
}

function checkCycle(steps: readonly OrderedStep[]): readonly AppError[] {
  const ids = [...new Set(onCycle(sortNodes(steps).left).map(({ id }) => id))];
  return ids.length === 0 ? [] : [finding(`The steps ${ids.join(', ')} depend on each other in a cycle.`)];
}

function checkKinds(node: PlanNode): readonly AppError[] {
  const script = node.kind === 'script';
  if (script && node.code === undefined) return [finding('a script step needs "code".', node.id)];
  if (!script && node.code !== undefined)
    return [finding(`a step of kind ${node.kind} cannot have "code".`, node.id)];
  if (node.kind === 'llm' && node.prompt === undefined)
    return [finding('an llm step needs a "prompt".', node.id)];
  if (node.kind === 'llm' && node.tools?.length) return [finding('an llm step cannot have tools.', node.id)];
  return [];
}

/**
 * What is wrong with the items that a step runs over, as far as it is known before the run: the path, and for
 * results of earlier stages their kind and number.
 */
function checkEach(node: PlanNode, nodes: readonly PlanNode[], earlier: EarlierNodes): readonly AppError[] {
  const { each, id } = node;
  if (each === undefined) return node.parallel === undefined ? [] : [finding('"parallel" needs "each".', id)];
  if (node.kind !== 'llm') return [finding(`a step of kind ${node.kind} cannot have "each".`, id)];
  const items = readEach(each);
  if (!items)
    return [finding(`"each": "${each}" is not "<step>.<path>" of an array, like "list.files".`, id)];
  if (reserved.has(items.source))
    return earlier.ofSession?.includes(items.source) === true
      ? []
      : [finding(`"each" reads ${items.source}, but ${missingInput(items.source)}.`, id)];
  const problem = knownItemsProblem(each, items, earlier) ?? plannedItemsProblem(each, items, nodes);
  return problem ? [{ ...problem, node: id }] : [];
}

/** What is wrong with the array of a step that has run; undefined where it is in order or not known. */
function knownItemsProblem(
  each: string,
  { source }: ItemSource,
  { done, states }: EarlierNodes,
): AppError | undefined {
  const state = done.has(source) ? states?.get(source) : undefined;
  const items = state && itemsAt(state, each);
  return items?.ok === false ? items.error : undefined;
}

/** A step of this plan whose script returns other names only. */
function plannedItemsProblem(
  each: string,
  { source, path }: ItemSource,
  nodes: readonly PlanNode[],
): AppError | undefined {
  const names = stateNamesOf(nodes.find(({ id }) => id === source));
  if (!names || names.includes(path[0] ?? '')) return undefined;
  const has = names.length === 0 ? 'nothing' : names.join(', ');
  return finding(`"each" reads ${each}, but the state of "${source}" has ${has}.`);
}

function checkAnswer(
  answer: unknown,
  steps: readonly OrderedStep[],
  { done }: EarlierNodes,
): readonly AppError[] {
  if (!isText(answer)) return [];
  const parts = parseTemplate(answer);
  if (!parts.ok) return [parts.error];
  const known = new Set([...done, ...steps.map(({ id }) => id)]);
  const unknown = parts.value.flatMap((part) =>
    part.type === 'value' && !known.has(part.path[0] ?? '') ? [part.path.join('.')] : [],
  );
  return unknown.map((path) =>
    finding(`The answer refers to {{${path}}}, which is not the result of a step.`),
  );
}

const nodesOf = (value: unknown): readonly unknown[] =>
  asArray((value as { readonly nodes?: unknown } | null | undefined)?.nodes);

/** The valid nodes of a plan that is otherwise invalid, so that problems inside them are reported too. */
export function readableNodes(value: unknown): readonly PlanNode[] {
  return nodesOf(value)
    .slice(0, maxNodes)
    .flatMap((node) => {
      const read = PlanNode.safeParse(node);
      return read.success ? [read.data] : [];
    });
}

/** A step once per item depends on the step that its items come from. */
function withItemDep(node: PlanNode): PlanNode {
  const { code, each, deps } = node;
  return code !== undefined || each === undefined ? node : { ...node, deps: [...depsWith(deps, each)] };
}

/** The plan as shown and run: each script declares exactly the tools that its code can use. */
function declareTools(plan: Plan, toolsOf: ReadonlyMap<string, readonly string[]>): Plan {
  const nodes = plan.nodes.map((node) =>
    node.code === undefined
      ? node
      : {
          ...node,
          ...(plan.api !== undefined && { api: node.api ?? plan.api }),
          tools: [...(toolsOf.get(node.id) ?? [])],
        },
  );
  return { ...plan, nodes };
}

/**
 * Reports all findings at once: fields, structure, code, tools, budgets, answer. The first finding determines
 * the error's code (CODE/INVALID_PLAN, SYNTAX_ERROR, FORBIDDEN, UNKNOWN_TOOL, BUDGET/NODE_LIMIT, TOOL_CALLS).
 * Nothing has run yet.
 */
export function checkPlan(
  value: unknown,
  listing: ToolListing,
  budgets: Budgets,
  earlier: EarlierNodes = noEarlierNodes,
): Result<CheckedPlan, readonly AppError[]> {
  const read = readPlan(value);
  const nodes = nodesOf(value);
  const answer = (value as { readonly answer?: unknown } | null | undefined)?.answer;
  // A plan that is far too long is rejected at once: the checks below expect plans of a reasonable length.
  if (nodes.length > maxNodes) return err([tooManyNodes(nodes.length, budgets)]);
  const withDeps = (read.ok ? read.value.nodes : readableNodes(value)).map(withItemDep);
  const readableInputs = new Set([...earlier.done, ...(earlier.ofSession ?? [])]);
  const codes = withDeps.map((node) => checkNodeCode(node, listing, readableInputs));
  const readable = codes.map(({ node }) => node);
  const steps = stepsOf(nodes);
  const sites = new Map(codes.map(({ node, callSites }) => [node.id, callSites]));
  const findings = [
    ...(read.ok ? [] : read.error),
    ...checkIds(steps, earlier),
    ...takenIds(steps, earlier),
    ...checkCycle(steps),
    ...readable.flatMap(checkKinds),
    ...readable.flatMap((node) => checkEach(node, readable, earlier)),
    ...codes.flatMap((code) => code.findings),
    ...undefinedNames(codes),
    ...(read.ok ? checkBudgets(read.value, sites, budgets) : []),
    ...checkAnswer(answer, steps, earlier),
  ];
  if (!read.ok || findings.length > 0) return err(findings);
  const plan = { ...read.value, nodes: readable };
  const { order } = sortNodes(plan.nodes);
  const toolsOf = new Map(codes.map(({ node, tools }) => [node.id, tools]));
  const declared = declareTools(plan, toolsOf);
  const byId = new Map(declared.nodes.map((node) => [node.id, node]));
  const readsOf = new Map(
    codes.map(({ node, reads }) => {
      const items = eachOfSession(node);
      return [node.id, items === undefined ? reads : [items]] as const;
    }),
  );
  const inOrder = order.map((node) => byId.get(node.id) ?? node);
  return ok({ plan: declared, order: inOrder, toolsOf, ...(readableInputs.size > 0 && { readsOf }) });
}
