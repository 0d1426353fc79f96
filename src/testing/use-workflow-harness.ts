import { afterEach, beforeAll } from 'vitest';
import { buildEntry } from './build-entry';
import { startWorkflowHarness, type WorkflowHarness } from './workflow-harness';

type Start = typeof startWorkflowHarness;

/**
 * Provides the harnesses of one test file: builds the project server once before all tests, and closes each
 * harness after its test.
 */
export function useWorkflowHarness(): (
  replies: Parameters<Start>[0],
  more?: Parameters<Start>[2],
) => Promise<WorkflowHarness> {
  let projectServer = '';
  let harness: WorkflowHarness | null = null;
  beforeAll(async () => {
    projectServer = await buildEntry('project-server/index.ts');
  }, 60_000);
  afterEach(async () => {
    await harness?.close();
    harness = null;
  });
  return async (replies, more) => (harness = await startWorkflowHarness(replies, projectServer, more));
}
