/** An entry of the application menu; `id` is that of an action's or a command's row. */
export interface MenuRow {
  readonly id: string;
  readonly label: string;
  readonly shortcut?: string;
}

export interface MenuGroup {
  readonly label: string;
  readonly rows: readonly MenuRow[];
}
