/** An entry of the application menu; `id` is the id of an action or a command row. */
export interface MenuRow {
  readonly id: string;
  readonly label: string;
  readonly shortcut?: string;
}

export interface MenuGroup {
  readonly label: string;
  readonly rows: readonly MenuRow[];
}
