import type { SessionState } from '#shared/session-state';
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
  readonly store: WorkflowStore;
  readonly ddrs: Ddrs;
  readonly state: (sessionId: string) => SessionState | null;
}

/** Workflows: the registry over what is published, and the tools over it. */
export function composeWorkflows({ store, ddrs, state }: WorkflowDeps): WorkflowSide {
  const onDdrChange = ddrs.items.onChange ?? (() => () => undefined);
  const registry = createWorkflowRegistry({ store, ddr: ddrs.read, onDdrChange });
  const onChange = (listener: () => void) => {
    const stops = [store.onChange(listener), onDdrChange(listener)];
    return () => stops.forEach((stop) => stop());
  };
  return { registry, onChange, tools: [createRegistryTool({ registry, state })] };
}
