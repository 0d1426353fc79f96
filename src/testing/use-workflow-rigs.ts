import { afterEach, beforeAll } from 'vitest';
import { buildEntry } from './build-entry';
import { startWorkflowRig, type WorkflowRig } from './workflow-rig';

type Start = typeof startWorkflowRig;

/** For the tests of one file: how to start a rig. The project server is built once before them, each rig closed after its test. */
export function useWorkflowRigs(): (
  replies: Parameters<Start>[0],
  more?: Parameters<Start>[2],
) => Promise<WorkflowRig> {
  let projectServer = '';
  let rig: WorkflowRig | null = null;
  beforeAll(async () => {
    projectServer = await buildEntry('project-server/index.ts');
  }, 60_000);
  afterEach(async () => {
    await rig?.close();
    rig = null;
  });
  return async (replies, more) => (rig = await startWorkflowRig(replies, projectServer, more));
}
