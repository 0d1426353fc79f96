import { ok } from '#shared/result';
import type { WorkflowDefinition, WorkflowRow } from '#shared/workflow';
import type { WorkflowStore } from '../core/ports/workflow-store';
import { canonicalHash } from '../core/tools/canonical-hash';

/** A store that a test can change without the registry's knowledge. */
export interface InMemoryWorkflowStore extends WorkflowStore {
  /** Adds definitions as if they had been published. */
  put(...definitions: readonly WorkflowDefinition[]): void;
}

const notHere = (): never => {
  throw new Error('The registry and what runs from it never write.');
};

/** Stores published definitions in memory, including every earlier one. */
export function createInMemoryWorkflowStore(
  definitions: readonly WorkflowDefinition[],
): InMemoryWorkflowStore {
  const rows = new Map<string, WorkflowRow>();
  const ever = new Map<string, WorkflowDefinition>();
  const listeners = new Set<() => void>();
  const put = (...added: readonly WorkflowDefinition[]): void => {
    for (const definition of added) {
      const hash = canonicalHash(definition);
      rows.set(definition.WorkflowId, { definition, hash, layer: { kind: 'home' } });
      ever.set(hash, definition);
    }
    listeners.forEach((listener) => listener());
  };
  put(...definitions);
  return {
    put,
    published: () => ok({ rows: [...rows.values()], problems: [] }),
    definition: (hash) => ok(ever.get(hash) ?? null),
    history: () => ok([]),
    removed: () => ok([]),
    drafts: () => ok([]),
    draft: () => ok(null),
    draftProblems: () => [],
    writeDraft: notHere,
    removeDraft: notHere,
    publish: notHere,
    remove: notHere,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
