import { ok } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { WorkflowRow } from '#shared/workflow';
import type { Ddrs } from './ddrs/create-ddrs';
import type { HostTool } from './ports/host-tool';
import type { WorkflowStore } from './ports/workflow-store';
import { createWorkflowRegistry, type WorkflowRegistry } from './workflows/registry';
import { createRegistryTool } from './workflows/registry-tool';

export interface WorkflowSide {
  readonly registry: WorkflowRegistry;
  readonly tools: readonly HostTool[];
  readonly onChange: (listener: () => void) => () => void;
}

export interface WorkflowDeps {
  readonly rows: readonly WorkflowRow[];
  readonly ddrs: Ddrs;
  readonly state: (sessionId: string) => SessionState | null;
}

const never = (): never => {
  throw new Error('There is nowhere to write workflows to.');
};

/** What Patina and the packs bring, for as long as nothing else is kept. */
function bundledOnly(rows: readonly WorkflowRow[]): WorkflowStore {
  return {
    published: () => ok({ rows, problems: [] }),
    definition: (hash) => ok(rows.find((row) => row.hash === hash)?.definition ?? null),
    history: () => ok([]),
    drafts: () => ok([]),
    writeDraft: never,
    removeDraft: never,
    publish: never,
    remove: never,
    onChange: () => () => undefined,
  };
}

/** Workflows: the registry over what is published, and the tools over it. */
export function composeWorkflows({ rows, ddrs, state }: WorkflowDeps): WorkflowSide {
  const store = bundledOnly(rows);
  const onDdrChange = ddrs.items.onChange ?? (() => () => undefined);
  const registry = createWorkflowRegistry({ store, ddr: ddrs.read, onDdrChange });
  const onChange = (listener: () => void) => {
    const stops = [store.onChange(listener), onDdrChange(listener)];
    return () => stops.forEach((stop) => stop());
  };
  return { registry, onChange, tools: [createRegistryTool({ registry, state })] };
}
