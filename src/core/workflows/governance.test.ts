import { expect, it } from 'vitest';
import type { Ddr } from '#shared/ddr';
import type { WorkflowRow } from '#shared/workflow';
import { approvingDdr, sampleWorkflow } from '../../testing/sample-workflows';
import { canonicalHash } from '../tools/canonical-hash';
import { approvalStatusOf } from './governance';

const definition = sampleWorkflow();
const row: WorkflowRow = { definition, layer: { kind: 'home' }, hash: canonicalHash(definition) };
const unapproved = (reason: string) => ({ kind: 'unapproved', reason });
const drifted = { kind: 'drifted', reason: 'the definition in use is not the one approved in WFL-001' };
const other = { workflows: { create_ddr: 'another hash' } };

it.each<readonly [what: string, ddr: Partial<Ddr> | null, standing: object]>([
  ['approved by its record', {}, { kind: 'approved' }],
  ['unapproved without its record', null, unapproved('its design record WFL-001 does not exist')],
  ['unapproved by a draft', { status: 'draft' }, unapproved('its design record WFL-001 is not approved')],
  [
    'unapproved by a record that changed',
    { changedSinceApproval: true },
    unapproved('its design record WFL-001 was changed after its approval'),
  ],
  [
    'unapproved by a record of others',
    { workflows: { review_ddr: row.hash } },
    unapproved('WFL-001 does not contain its hash'),
  ],
  ['drifted from the approved one', other, drifted],
  ['drifted, even when the record is a draft', { ...other, status: 'draft' }, drifted],
])('[T6-8-2-ddr] [T6-8-8-drift] a definition is %s', (_what, ddr, standing) => {
  expect(approvalStatusOf(row, ddr && approvingDdr([definition], ddr))).toEqual(standing);
});
