import { z } from 'zod';

/** The picker beside the model picker; stored as `"mode"` in `ui_settings.json`. */
export const RunMode = z.enum(['ask', 'agent']);
export type RunMode = z.infer<typeof RunMode>;
