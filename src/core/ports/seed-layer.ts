import type { ConfigProblem } from '#shared/app-error';
import type { CommandDefinition, ToolboxDefinition } from '#shared/command';
import type { Recipe } from '#shared/recipe';
import type { CatalogFile } from '#shared/resolver';
import type { WindowAction } from '#shared/window-action';
import type { WorkflowDefinition } from '#shared/workflow';

/** One row of data and the file it was read from. */
export interface SeedRow<T> {
  readonly file: string;
  readonly row: T;
}

export interface PackHeader {
  /** The folder's name under `PATINA_HOME/packs`. */
  readonly name: string;
  readonly folder: string;
  readonly id: string;
  readonly version: string;
}

/** The rows of `seeds/` or of one pack, as their files hold them. What is wrong across files is not known yet. */
export interface SeedLayer {
  /** None: the rows Patina brings. */
  readonly pack: PackHeader | null;
  readonly folder: string;
  /** Unparsed: the mode catalog names its own rules (AGN-014 §7). */
  readonly modes: readonly SeedRow<unknown>[];
  readonly toolboxes: readonly SeedRow<ToolboxDefinition>[];
  readonly commands: readonly SeedRow<CommandDefinition>[];
  readonly catalogs: readonly SeedRow<CatalogFile>[];
  readonly actions: readonly SeedRow<WindowAction>[];
  readonly recipes: readonly SeedRow<Recipe>[];
  readonly workflows: readonly SeedRow<WorkflowDefinition>[];
  /** Mode files that stop the start: those of `seeds/` that are no JSON. */
  readonly modeProblems: readonly ConfigProblem[];
  /** Workflow files that stop the start: those that break their schema, and those of `seeds/` that are no JSON (TUL-006 §8.1). */
  readonly workflowProblems: readonly ConfigProblem[];
  /** Everything else that could not be read or breaks its schema; of a pack also its unreadable mode and workflow files. */
  readonly problems: readonly ConfigProblem[];
}
