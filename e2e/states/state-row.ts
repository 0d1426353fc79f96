import type { ElectronApplication, Page } from '@playwright/test';
import type { Script, ScriptedModel } from '../../src/testing/scripted-model';
import type { Launched, LaunchOptions } from '../fixtures/patina';

/** A running app in which states are reached one after another. */
export interface Stage {
  readonly app: ElectronApplication;
  readonly page: Page;
  /** What answers; absent where no model is connected. */
  readonly model?: ScriptedModel;
}

/** One state of the window, and how a person reaches it. */
export interface StateRow {
  /** As the picture's file begins. */
  readonly name: string;
  /** Starts in a new, empty session in Ask, with nothing open; ends when the state is on the screen. */
  readonly reach: (stage: Stage) => Promise<void>;
  /** Ends what the state left running, so that the next one starts clean. */
  readonly leave?: (stage: Stage) => Promise<void>;
  /** Kept as it is instead of starting in a new session: the state was made before the window opened. */
  readonly asOpened?: boolean;
}

/** What a scene is set up with: the fixtures of an end-to-end test. */
export interface Means {
  readonly home: string;
  readonly project: string;
  readonly launch: (options?: LaunchOptions) => Promise<Launched>;
  readonly startModel: (script: Script) => Promise<ScriptedModel>;
  readonly launchOn: (model: ScriptedModel, options?: LaunchOptions) => Promise<Launched>;
}

/** States that share one start of the app. */
export interface Scene {
  readonly name: string;
  readonly open: (means: Means) => Promise<Stage>;
  readonly rows: readonly StateRow[];
}

/** The model of a stage that has one. */
export function modelOf({ model }: Stage): ScriptedModel {
  if (!model) throw new Error('This scene has no model.');
  return model;
}
