import { appError } from '#shared/app-error';
import { err, type Result } from '#shared/result';
import type { ModelMessage, ModelTool, ModelToolCall } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import type { ToolListing } from '../tools/call-scope';
import { nearestNames } from '../tools/nearest-names';
import { modelTurn, type ModelTurn } from './model-turn';
import type { Planning } from './planning';
import { submitPlan } from './plan-reply';
import { submitPlanTool } from './planning-prompt';
import { toolLines } from './tool-signature';
import type { PromptText } from '../ports/prompt-text';

/** Maximum rounds of tool calls before the model must submit a plan. */
const maxRounds = 4;
const noPlan = appError('LLM', 'INVALID_REPLY', 'The model kept calling tools and gave no plan.', {
  retryable: true,
});

export interface PlanCall {
  readonly part: 'plan' | 'repair' | 'replan';
  /** The system message's blocks besides the host's own. */
  readonly blocks: readonly PromptText[];
  /** The user's message. */
  readonly text: string;
  readonly tools: readonly ModelTool[];
  /** Answers a call of one of the tools. */
  readonly answer: (call: ModelToolCall) => Promise<string>;
}

/** A call that offers no tool besides the plan submission. */
export const plainCall = (call: Pick<PlanCall, 'part' | 'blocks' | 'text'>): PlanCall => ({
  ...call,
  tools: [],
  answer: () => Promise.resolve(''),
});

/**
 * Gets one plan reply. Executes and answers the tools that the model calls first; with no tools offered,
 * forces the plan submission.
 */
export async function askForPlan(
  planning: Planning,
  { part, blocks, text, tools: offered, answer }: PlanCall,
): Promise<Result<ModelTurn>> {
  const { model } = planning.request;
  const names = new Set(offered.map(({ name }) => name));
  const tools = [submitPlanTool, ...offered];
  let said: readonly ModelMessage[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const system = planning.request.prompt(part, { blocks, tools: tools.map(({ name }) => name) });
    if (!system.ok) return system;
    const asked: readonly ModelMessage[] = [system.value, { role: 'user', content: text }];
    const messages = [...asked, ...said];
    const response = planning.request.response?.(part);
    const choice = offered.length === 0 && { toolChoice: submitPlan };
    const request = { model, messages, tools, ...choice, ...response };
    const { reply: turn } = await modelTurn(planning.models, request, planning.meter, planning.signal, {
      part,
    });
    if (!turn.ok) return turn;
    const calls = turn.value.calls.filter(({ name }) => names.has(name));
    if (calls.length === 0 || turn.value.calls.some(({ name }) => name === submitPlan)) return turn;
    const answers: ModelMessage[] = [];
    for (const call of calls)
      answers.push({ role: 'tool', toolCallId: call.id, content: await answer(call) });
    said = [...said, { role: 'assistant', content: turn.value.text, toolCalls: calls }, ...answers];
  }
  return err(noPlan);
}

/** The tools that a plan's text names, and those it may have meant. */
export function toolsNamed(plan: string, { tools }: ToolListing): readonly ToolDefinition[] {
  const spelled = (tool: ToolDefinition): string => tool.tool.replace(/\W/g, '_');
  const named = new Set([...plan.matchAll(/\.([A-Za-z_]\w*)/g)].map(([, tool = '']) => tool));
  const known = new Set(tools.map(spelled));
  const near = [...named]
    .filter((name) => !known.has(name))
    .flatMap((name) => nearestNames(name, [...known]));
  const wanted = new Set([...named, ...near]);
  return tools.filter((tool) => wanted.has(spelled(tool)));
}

/** One line per wanted tool, under the name it has among all tools. */
export function linesOf(
  wanted: readonly ToolDefinition[],
  { tools }: ToolListing,
  { observed }: Pick<Planning, 'observed'>,
): readonly string[] {
  const lines = toolLines(tools, observed.schemaOf);
  return wanted.flatMap(({ uri }) => lines.get(uri) ?? []);
}
