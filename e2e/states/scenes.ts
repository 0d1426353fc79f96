import { agentScene, interruptedScene } from './agent-states';
import { askScene } from './ask-states';
import { controlScene } from './control-states';
import { readmeScene } from './readme-states';
import type { Scene } from './state-row';
import { workflowScene } from './workflow-states';
import { damagedScene, firstRunScene, longScene } from './window-states';
import { workspaceScene } from './workspace-states';

/** Every state of the window there is a way to, by start of the app. */
export const scenes: readonly Scene[] = [
  firstRunScene,
  askScene,
  agentScene,
  controlScene,
  workflowScene,
  workspaceScene,
  interruptedScene,
  damagedScene,
  longScene,
  readmeScene,
];
