import { WindowAction } from '#shared/window-action';

/** The rows of `seeds/actions` as main sends them to the window. */
export const seedActions: readonly WindowAction[] = Object.values(
  import.meta.glob('/seeds/actions/*.json', { eager: true, import: 'default' }),
)
  .map((row) => WindowAction.parse(row))
  .sort((a, b) => a.order - b.order);
