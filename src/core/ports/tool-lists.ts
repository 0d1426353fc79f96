/**
 * The tool patterns that limit a model's calls, one list per system; when absent, that
 * system allows everything.
 */
export interface ToolLists {
  /** Tools of the active mode (AGN-014 §3). */
  readonly modeTools?: readonly string[];
  /** PermittedTools of the active workflow (TUL-006 §6.3). */
  readonly workflowTools?: readonly string[];
  /** Descriptors and patterns of the active tool catalog (P3 §5.3). */
  readonly catalogTools?: readonly string[];
}
