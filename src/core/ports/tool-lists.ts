/** The lists of tool patterns a model's calls are bound by, one for each system; absent: that system offers everything. */
export interface ToolLists {
  /** Tools of the active mode (AGN-014 §3). */
  readonly modeTools?: readonly string[];
  /** PermittedTools of the active workflow (TUL-006 §6.3). */
  readonly workflowTools?: readonly string[];
  /** Descriptors and patterns of the active tool catalog (P3 Tool Catalog). */
  readonly catalogTools?: readonly string[];
}
