import { attachedName, previousName } from './each';
import { appError, type AppError } from '#shared/app-error';
import type { PlanNode } from '#shared/plan';
import { didYouMean } from '../tools/nearest-names';
import type { ToolListing } from '../tools/call-scope';
import { patternNames } from '../tools/tool-pattern';
import { placedBy, readCode, withReturn, type CodeFacts } from './check-code';
import { scriptAliases, serverOf } from './script-tools';

interface NodeCode {
  /** The step as it runs: a `return` that its script leaves out is added. */
  readonly node: PlanNode;
  readonly findings: readonly AppError[];
  /**
   * The tools available to the script: the declared ones, narrowed to those it names when the source text
   * shows all of them.
   */
  readonly tools: readonly string[];
  /** The number of places in the source text that name a tool. */
  readonly callSites: number;
  /** The results of earlier stages that the script reads. */
  readonly reads: readonly string[];
  /** Names that the script declares at its top, and names that it reads without one. */
  readonly names: Pick<CodeFacts, 'defines' | 'undefinedNames'>;
}
type NodeTools = Pick<NodeCode, 'findings' | 'tools'>;

/** Why a tool name is unknown: its server did not start or its tool was left out, or there is no such tool. */
function unknownTool(name: string, server: string, listing: ToolListing, names: readonly string[]): AppError {
  const status = listing.servers.find(
    (one) => one.server.replaceAll('-', '_') === server.replaceAll('-', '_'),
  );
  if (status?.state === 'failed') {
    return appError('TOOL', 'UNAVAILABLE', `The server ${status.server} did not start: ${status.detail}`, {
      tool: name,
    });
  }
  const tool = name.slice(name.lastIndexOf('.') + 1);
  const leftOut = status?.detail.split(/[\s:;,]+/).includes(tool)
    ? `The server ${status.server}: ${status.detail}`
    : null;
  const hint = leftOut ?? didYouMean(name, names);
  return appError('CODE', 'UNKNOWN_TOOL', `There is no tool ${name}.`, { tool: name, ...(hint && { hint }) });
}

function expandDeclared(node: PlanNode, listing: ToolListing): NodeTools {
  const uris = listing.tools.map(({ uri }) => uri);
  const tools = new Set<string>();
  const findings: AppError[] = [];
  for (const pattern of node.tools ?? []) {
    const named = uris.filter((uri) => patternNames(pattern, uri));
    for (const uri of named) tools.add(uri);
    if (named.length === 0) findings.push(unknownTool(pattern, serverOf(pattern), listing, uris));
  }
  return { findings, tools: [...tools] };
}

/** Why an input of the session is missing. */
export const missingInput = (name: string): string =>
  name === attachedName ? 'nothing is attached to this line' : 'this session has no earlier run with results';

function checkInputs(node: PlanNode, facts: CodeFacts, earlier: ReadonlySet<string>): readonly AppError[] {
  const strangers = facts.inputs.filter(
    (input) => !node.deps.includes(input.node) && !earlier.has(input.node),
  );
  return strangers.map(({ node: dep, line, column }) => {
    const ofSession = dep === previousName || dep === attachedName;
    const why = ofSession ? missingInput(dep) : `"${dep}" is not in its deps`;
    return appError('CODE', 'INVALID_PLAN', `reads inputs.${dep}, but ${why}.`, { line, column });
  });
}

function checkTools(node: PlanNode, facts: CodeFacts, listing: ToolListing): NodeTools {
  const declared = expandDeclared(node, listing);
  const everything = scriptAliases(listing.tools.map(({ uri }) => uri));
  // A tool has one name everywhere: a node's declarations narrow the alias table and never rename a tool.
  const aliases = node.tools
    ? new Map([...everything].filter(([, uri]) => declared.tools.includes(uri)))
    : everything;
  const findings = [...declared.findings];
  const used = new Set<string>();
  for (const { alias, line, column } of facts.tools) {
    const uri = aliases.get(alias);
    if (uri !== undefined) used.add(uri);
    else if (everything.has(alias)) {
      const message = `uses tools.${alias}, which its "tools" do not declare.`;
      findings.push(
        appError('CODE', 'INVALID_PLAN', message, { line, column, tool: everything.get(alias) ?? alias }),
      );
    } else {
      const server = alias.slice(0, alias.indexOf('.'));
      findings.push({
        ...unknownTool(`tools.${alias}`, server, listing, named([...everything.keys()])),
        line,
        column,
      });
    }
  }
  if (facts.dynamicTools && !node.tools) {
    findings.push(
      appError(
        'CODE',
        'INVALID_PLAN',
        'reaches tools by a computed name; write tools.<server>.<tool> in full.',
      ),
    );
  }
  return { findings, tools: facts.dynamicTools ? declared.tools : [...used] };
}

const named = (aliases: readonly string[]): readonly string[] => aliases.map((alias) => `tools.${alias}`);

/**
 * The tools that a step's script needs, and the problems found without running it. A step without a script
 * needs no tools.
 */
export function checkNodeCode(
  node: PlanNode,
  listing: ToolListing,
  /** The results of earlier stages and runs, which a script reads without naming them in its deps. */
  earlier: ReadonlySet<string> = new Set(),
): NodeCode {
  if (node.code === undefined)
    return { node, findings: [], tools: [], callSites: 0, reads: [], names: noNames };
  const { code, written } = withReturn(node.code);
  const facts = placedFacts(written, readCode(code, true));
  const { findings, tools } = checkTools(node, facts, listing);
  const all = [...facts.forbidden, ...checkInputs(node, facts, earlier), ...findings];
  return {
    node,
    findings: all.map((found) => ({ ...found, node: node.id })),
    tools,
    callSites: facts.tools.length,
    names: facts,
    reads: [...new Set(facts.inputs.map((input) => input.node))].filter((id) => earlier.has(id)),
  };
}

type Written = ReturnType<typeof withReturn>['written'];

/** The facts with their places in the script as it was written. */
function placedFacts(written: Written, facts: CodeFacts): CodeFacts {
  const placed = <T extends Parameters<typeof placedBy>[1]>(all: readonly T[]) =>
    all.map((one) => placedBy(written, one));
  const { tools, inputs, forbidden, undefinedNames: names } = facts;
  return {
    ...facts,
    tools: placed(tools),
    inputs: placed(inputs),
    forbidden: placed(forbidden),
    undefinedNames: placed(names),
  };
}

const noNames = { defines: [], undefinedNames: [] };

/** Names that a script reads and nothing defines: often a function of another step, which shares no code. */
export function undefinedNames(
  codes: readonly { readonly node: PlanNode; readonly names: NodeCode['names'] }[],
): readonly AppError[] {
  return codes.flatMap(({ node, names }) =>
    names.undefinedNames.map(({ name, line, column }) => {
      const owner = codes.find((other) => other.node !== node && other.names.defines.includes(name));
      const message = owner
        ? `uses ${name}, which step "${owner.node.id}" defines; steps share no code: repeat it here, or return data.`
        : `uses ${name}, which is not defined.`;
      return appError('CODE', 'INVALID_PLAN', message, { node: node.id, line, column });
    }),
  );
}
