import { z } from 'zod';
import { BudgetChange, type BudgetSettings } from './budgets';
import { call } from './ipc-call';
import { ServerDraft, type ImportPreview, type ServersView, type SignInOffer } from './servers';

const name = z.string().min(1).max(64);

/** Calls about MCP servers and what a project allows; each change is the user's approval of exactly what was shown. */
export const serverRequests = {
  /** Lists the servers; with `start`, first starts the named one, or all, and lists their tools. */
  'server-list': call<ServersView>()(z.object({ start: z.union([name, z.literal(true)]).optional() })),
  /** Adds or replaces a server, and allows its tools in the project's manifest. */
  'server-save': call<null>()(ServerDraft),
  'server-remove': call<null>()(z.object({ name })),
  /** Allows every tool of a server in the project's manifest. */
  'server-allow': call<null>()(z.object({ name })),
  /** What runs of this project may spend. */
  'budget-settings': call<BudgetSettings>()(z.undefined()),
  'budget-set': call<BudgetSettings>()(BudgetChange),
  /** Writes the tool's entry in the project's manifest. */
  'server-tool-switch': call<null>()(z.object({ uri: z.string().max(300), on: z.boolean() })),
  /** Finds out where to sign in to a server; opens nothing. */
  'server-sign-in-offer': call<SignInOffer>()(z.object({ name })),
  /** Opens the browser at the host of the offer made last, and waits until the user is back. */
  'server-sign-in': call<SignInOffer>()(z.object({ name, host: z.string().min(1).max(300) })),
  'server-sign-in-cancel': call<null>()(z.object({ name })),
  'server-sign-out': call<null>()(z.object({ name })),
  /** Lets the user choose another program's file; null when the user chose none. */
  'server-import-choose': call<ImportPreview | null>()(z.undefined()),
  /** Adds the named servers from the file chosen last. */
  'server-import': call<null>()(
    z.object({
      names: z.array(name).min(1).max(200),
      /** Values that the servers ask for, by id. */
      inputs: z.record(z.string().max(300), z.string().max(10_000)),
    }),
  ),
} as const;
