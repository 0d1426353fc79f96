import type { WorkflowDefinition } from '#shared/workflow';
import type { FieldError } from '#shared/workflow-authoring';
import { didYouMean } from '../../tools/nearest-names';
import { patternNames } from '../../tools/tool-pattern';
import type { AuthoringFacts } from './authoring-facts';

const authoringTool = 'agent_workflow_authoring';
/** Words that only instructions for authoring workflows contain. */
const authoringWords = /\b(?:draft_workflow|update_workflow|publish_workflow|agent_workflow_authoring)\b/;

function unknownTools({ PermittedTools }: WorkflowDefinition, facts: AuthoringFacts): readonly FieldError[] {
  const names = facts.tools.map(({ name }) => name);
  return PermittedTools.filter((tool) => !names.includes(tool)).map((tool) => {
    if (tool.startsWith('mcp://') && facts.serversUnknown !== null) {
      const message = `Patina could not check whether the tool ${tool} exists: ${facts.serversUnknown}`;
      return { field: 'PermittedTools', message };
    }
    const near = didYouMean(tool, names);
    return { field: 'PermittedTools', message: `There is no tool ${tool}.${near ? ` ${near}` : ''}` };
  });
}

/** The modes in which a workflow may run: those its preconditions name, else all. */
function runsIn({ Preconditions = [] }: WorkflowDefinition, facts: AuthoringFacts): AuthoringFacts['modes'] {
  const rows = Preconditions.flatMap((row) => (row.kind === 'mode' ? [row.modes] : []));
  return facts.modes.filter(({ key }) => rows.every((modes) => modes.includes(key)));
}

function notOffered(definition: WorkflowDefinition, facts: AuthoringFacts): readonly FieldError[] {
  const modes = runsIn(definition, facts);
  const known = new Set(facts.tools.map(({ name }) => name));
  const needed = definition.PermittedTools.filter(
    (tool) => known.has(tool) && !facts.alwaysOffered.includes(tool),
  );
  const offers = (tools: readonly string[], tool: string): boolean =>
    tools.some((pattern) => patternNames(pattern, tool));
  if (modes.length === 0 || modes.some(({ tools }) => needed.every((tool) => offers(tools, tool)))) return [];
  const [closest] = modes
    .map(({ key, tools }) => ({ key, left: needed.filter((tool) => !offers(tools, tool)) }))
    .toSorted((a, b) => a.left.length - b.left.length);
  const left = closest ? ` ${closest.key} lacks ${closest.left.join(', ')}.` : '';
  return [
    { field: 'PermittedTools', message: `No mode it may run in offers all of these tools together.${left}` },
  ];
}

function unapprovedWrites(definition: WorkflowDefinition, facts: AuthoringFacts): readonly FieldError[] {
  const approved = new Set(definition.RequiredApprovals.filter(({ when }) => !when).map(({ tool }) => tool));
  return facts.tools
    .filter(({ name, access }) => access === 'write' && definition.PermittedTools.includes(name))
    .filter(({ name }) => !approved.has(name))
    .map(({ name }) => ({
      field: 'RequiredApprovals',
      message: `${name} writes: add an entry here that covers every call of it, or remove it from PermittedTools.`,
    }));
}

/** Finds tools that are named where only permitted tools may be. */
function unpermitted(definition: WorkflowDefinition, facts: AuthoringFacts): readonly FieldError[] {
  const { PermittedTools, RequiredApprovals, CompletionCriteria, InstructionText } = definition;
  const permitted = (tool: string): boolean =>
    PermittedTools.includes(tool) || facts.alwaysOffered.includes(tool);
  const approvals = RequiredApprovals.filter(({ tool }) => !permitted(tool)).map(({ tool }) => ({
    field: 'RequiredApprovals',
    message: `${tool} is not in PermittedTools, so its calls cannot be approved.`,
  }));
  const checks = CompletionCriteria.flatMap(({ text, check }) =>
    check?.kind === 'tool-called' && !permitted(check.tool)
      ? [
          {
            field: 'CompletionCriteria',
            message: `“${text}” can never be met: ${check.tool} is not in PermittedTools.`,
          },
        ]
      : [],
  );
  const named = facts.tools.filter(({ name }) => !permitted(name) && mentions(InstructionText, name));
  const steps = named
    .filter(({ name }) => name !== authoringTool)
    .map(({ name }) => ({
      field: 'InstructionText',
      message: `The steps name ${name}, which is not in PermittedTools.`,
    }));
  return [...approvals, ...checks, ...steps];
}

function mentions(text: string, tool: string): boolean {
  const at = text.indexOf(tool);
  return at >= 0 && !/[a-zA-Z0-9_]/.test(text[at + tool.length] ?? ' ');
}

/** A workflow that authors other workflows must permit the authoring tool (TUL-006 §10.5). */
function authoring({ PermittedTools, InstructionText }: WorkflowDefinition): readonly FieldError[] {
  if (PermittedTools.includes(authoringTool) || !authoringWords.test(InstructionText)) return [];
  const message = `The steps author workflows, so ${authoringTool} has to be in PermittedTools.`;
  return [{ field: 'PermittedTools', message }];
}

/**
 * Checks for tool problems that the host could not enforce or the user could not foresee (TUL-006 §6.3, §7.2,
 * §7.7).
 */
export function checkTools(definition: WorkflowDefinition, facts: AuthoringFacts): readonly FieldError[] {
  return [
    ...unknownTools(definition, facts),
    ...notOffered(definition, facts),
    ...unapprovedWrites(definition, facts),
    ...unpermitted(definition, facts),
    ...authoring(definition),
  ];
}
