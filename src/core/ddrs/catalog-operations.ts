import { z } from 'zod';
import { DdrTlaRow } from '#shared/ddr';
import { ok } from '#shared/result';
import { line, tla } from './fields';
import { operation } from './operation';
import { refuse, refuseFailure } from './refusal';

const getTlaCatalog = operation({
  name: 'get_tla_catalog',
  usage: 'get_tla_catalog {}: the families of DDRs by their three letters.',
  payload: z.strictObject({}),
  run: (_payload, context) => {
    const rows = context.store.tlas();
    return rows.ok ? ok({ tlas: [...rows.value] }) : refuseFailure(rows.error);
  },
});

const addTla = operation({
  name: 'add_tla',
  usage: 'add_tla {tla, title, description?}: a new family of DDRs.',
  payload: z.strictObject({ tla, title: line(80), description: line(500).optional() }),
  run: async (payload, context) => {
    const rows = context.store.tlas();
    if (!rows.ok) return refuseFailure(rows.error);
    const known = rows.value.find((row) => row.tla === payload.tla);
    if (known) return refuse('conflict', `${payload.tla} is already there: "${known.title}".`);
    const row = DdrTlaRow.parse(payload);
    const added = await context.store.addTla(row);
    return added.ok ? ok({ tla: row }) : refuseFailure(added.error);
  },
});

export const catalogOperations = [getTlaCatalog, addTla];
