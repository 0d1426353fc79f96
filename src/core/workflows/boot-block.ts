import type { WorkflowDefinition } from '#shared/workflow';
import { linesFor, type OfferedTools } from '../tools/offered-tools';
import type { RegistryView } from './registry-view';

const head =
  'These are the workflows available to you. If user input matches these patterns, call the workflow registry tool (agent_workflow_registry, TUL-006) to get the workflow manifest.';

const rules = [
  '- There are no other workflows: never invent, change or merge one. If you are not sure which one is meant, call agent_workflow_registry with match_workflow or list_workflows.',
  '- The patterns are examples of what a user says; match their meaning. A workflow that the user names comes before any pattern.',
  '- To begin one, call agent_start_workflow. The host asks the user where a yes is needed, collects the required inputs, and checks the preconditions.',
  '- If the user asks what you can do, answer from this list.',
];

/** About 1,000 tokens; a longer block names fewer patterns, then none, because every call in Ask pays for it. */
const maxFullLength = 4_000;
const shownPatterns = 3;

const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join('; ');

const morePatterns =
  '- Only the first patterns of each workflow are listed here: agent_workflow_registry with match_workflow knows them all.';
const titlesOnly =
  '- Only the titles are listed here: agent_workflow_registry with match_workflow knows the patterns and what each one does.';

type Row = ReturnType<RegistryView['list']>[number];

function workflowLine({ WorkflowId, Title, Description, UserIntentPatterns, Visibility }: Row, max: number) {
  const suffix = Visibility === undefined ? '' : ' [experimental]';
  if (max === 0) return `- ${WorkflowId}${suffix} – ${Title}`;
  const patterns = quoted(UserIntentPatterns.slice(0, max));
  return `- ${WorkflowId}${suffix} – ${Title}: ${Description}\n  Patterns: ${patterns}`;
}

/**
 * The boot message of TUL-006 §6.8; empty when no workflow is available. While one runs, it lists only those
 * that may take over. Stable: rows are in the order of their ids. A block of more than about 1,000 tokens
 * keeps the first three patterns of each workflow; if that is still too long, only the titles.
 */
export function bootBlock(
  view: RegistryView,
  offered: OfferedTools,
  running: WorkflowDefinition | null = null,
): string {
  const rows = view
    .list()
    .filter(({ WorkflowId }) => running?.AllowedTransitions.workflows.includes(WorkflowId) ?? true);
  // Without the registry tool, a model cannot use the list.
  if (rows.length === 0 || linesFor(offered, [head]).length === 0) return '';
  const block = (maxPatterns: number): string => {
    const lines = rows.map((row) => workflowLine(row, maxPatterns));
    const shortened = rows.some(({ UserIntentPatterns }) => UserIntentPatterns.length > maxPatterns);
    const left = maxPatterns === 0 ? titlesOnly : morePatterns;
    const notes = shortened ? [left, ...rules] : rules;
    return [head, '', ...lines, '', 'How to use them:', ...linesFor(offered, notes)].join('\n');
  };
  const blocks = [Infinity, shownPatterns].map(block);
  return blocks.find(({ length }) => length <= maxFullLength) ?? block(0);
}
