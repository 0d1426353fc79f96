import type { Ddr } from '#shared/ddr';
import type { WorkflowDefinition } from '#shared/workflow';

/** A tool as far as a workflow is concerned. `host`: it asks the user itself where a person has to say yes. */
export interface KnownTool {
  readonly name: string;
  readonly access: 'read' | 'write' | 'host';
}

/** What a definition is held against: what there is at this moment. */
export interface AuthoringFacts {
  readonly modes: readonly { readonly key: string; readonly tools: readonly string[] }[];
  readonly tools: readonly KnownTool[];
  /** Why tools of servers could not be listed; null when they are all in `tools`. */
  readonly serversUnknown: string | null;
  /** Offered in every mode. */
  readonly alwaysOffered: readonly string[];
  /** Everything that is published, the workflow itself too. */
  readonly published: readonly WorkflowDefinition[];
  readonly ddr: (id: string) => Ddr | null;
}
