import { agentLongScene } from './agent-long-states';
import { agentReviewScene } from './agent-review-states';
import { agentStageScene } from './agent-stage-states';
import { agentScene, interruptedScene } from './agent-states';
import { agentToolScene } from './agent-tool-states';
import { askScene } from './ask-states';
import { controlScene } from './control-states';
import { readmeScene } from './readme-states';
import type { Scene } from './state-row';
import { workflowShelfScene } from './workflow-catalog-states';
import { workflowScene } from './workflow-states';
import { damagedScene, firstRunScene, longScene, storageScene } from './window-states';
import { workspaceContentScene } from './workspace-content-states';
import { workspaceScene } from './workspace-states';

/** Every reachable state of the window, by start of the app. */
export const scenes: readonly Scene[] = [
  firstRunScene,
  askScene,
  agentScene,
  agentToolScene,
  agentReviewScene,
  agentStageScene,
  agentLongScene,
  controlScene,
  workflowScene,
  workflowShelfScene,
  workspaceScene,
  workspaceContentScene,
  interruptedScene,
  damagedScene,
  storageScene,
  longScene,
  readmeScene,
];
