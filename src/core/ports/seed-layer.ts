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
  /** What people read; absent: the id. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/**
 * The rows of `seeds/` or of one pack, as read from their files; conflicts across files are not checked yet.
 */
export interface SeedLayer {
  /** Null for Patina's own rows. */
  readonly pack: PackHeader | null;
  readonly folder: string;
  /** Unparsed: the mode catalog validates them and names the rules (AGN-014 §7). */
  readonly modes: readonly SeedRow<unknown>[];
  readonly toolboxes: readonly SeedRow<ToolboxDefinition>[];
  readonly commands: readonly SeedRow<CommandDefinition>[];
  readonly catalogs: readonly SeedRow<CatalogFile>[];
  readonly actions: readonly SeedRow<WindowAction>[];
  readonly recipes: readonly SeedRow<Recipe>[];
  readonly workflows: readonly SeedRow<WorkflowDefinition>[];
  /** Mode files that block startup: files in `seeds/` that are not valid JSON. */
  readonly modeProblems: readonly ConfigProblem[];
  /**
   * Workflow files that block startup: files that violate their schema, and files in `seeds/` that are not
   * valid JSON (TUL-006 §8.1).
   */
  readonly workflowProblems: readonly ConfigProblem[];
  /**
   * All other files that could not be read or violate their schema; for a pack this includes unreadable mode
   * and workflow files.
   */
  readonly problems: readonly ConfigProblem[];
}
