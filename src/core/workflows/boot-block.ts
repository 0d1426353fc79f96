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

const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join('; ');

/**
 * The boot message of TUL-006 §6.8; empty when no workflow is available. Stable: rows are in the order of
 * their ids.
 */
export function bootBlock(view: RegistryView, offered: OfferedTools): string {
  const rows = view.list();
  // Without the registry tool, a model cannot use the list.
  if (rows.length === 0 || linesFor(offered, [head]).length === 0) return '';
  const lines = rows.map(({ WorkflowId, Title, Description, UserIntentPatterns, Visibility }) => {
    const mark = Visibility === undefined ? '' : ' [experimental]';
    return `- ${WorkflowId}${mark} – ${Title}: ${Description}\n  Patterns: ${quoted(UserIntentPatterns)}`;
  });
  return [head, '', ...lines, '', 'How to use them:', ...linesFor(offered, rules)].join('\n');
}
