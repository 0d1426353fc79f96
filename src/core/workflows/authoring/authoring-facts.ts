import type { Ddr } from '#shared/ddr';
import type { WorkflowDefinition } from '#shared/workflow';

/** A tool as workflows see it. A `host` tool asks the user itself where a person must approve. */
export interface KnownTool {
  readonly name: string;
  readonly access: 'read' | 'write' | 'host';
}

/** The current facts that a definition is checked against. */
export interface AuthoringFacts {
  readonly modes: readonly { readonly key: string; readonly tools: readonly string[] }[];
  readonly tools: readonly KnownTool[];
  /** Why server tools could not be listed; null when `tools` contains all of them. */
  readonly serversUnknown: string | null;
  /** Offered in every mode. */
  readonly alwaysOffered: readonly string[];
  /** All published definitions, including the workflow itself. */
  readonly published: readonly WorkflowDefinition[];
  readonly ddr: (id: string) => Ddr | null;
}
