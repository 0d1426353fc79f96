import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowDefinition } from '#shared/workflow';
import { canonicalHash } from '../core/tools/canonical-hash';

/** Writes the record that approves these definitions; `hashes` replace their own. */
export function approveWorkflows(
  home: string,
  definitions: readonly WorkflowDefinition[],
  hashes: Readonly<Record<string, string>> = {},
): void {
  const own = definitions.map((one) => [one.WorkflowId, canonicalHash(one)] as const);
  const lines = Object.entries({ ...Object.fromEntries(own), ...hashes });
  mkdirSync(join(home, 'ddrs'), { recursive: true });
  writeFileSync(
    join(home, 'ddrs', 'WFL-901.md'),
    [
      '---',
      'id: WFL-901',
      'title: Sample workflows',
      'status: approved',
      'approvedBy: Ada',
      'approvedAt: 2026-01-02T10:11:12+01:00',
      'workflows:',
      ...lines.map(([id, hash]) => `  ${id}: "${hash}"`),
      '---',
      '',
      '# WFL-901: Sample workflows',
      '',
    ].join('\n'),
  );
}

/** Writes a pack of workflows into a home folder, each approved as it is; they name the record WFL-901. */
export function writeWorkflowPack(home: string, definitions: readonly WorkflowDefinition[]): void {
  const folder = join(home, 'packs', 'samples');
  mkdirSync(join(folder, 'workflows'), { recursive: true });
  writeFileSync(join(folder, 'pack.json'), JSON.stringify({ id: 'samples', version: '1.0.0' }));
  for (const definition of definitions) {
    writeFileSync(join(folder, 'workflows', `${definition.WorkflowId}.json`), JSON.stringify(definition));
  }
  approveWorkflows(home, definitions);
}
