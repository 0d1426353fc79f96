/**
 * The host's tools that a command's row may name, beside tools of servers (`mcp://server.tool`). Each takes the row's one
 * parameter; whatever else its schema asks for are constants of the row.
 */
export const commandTools: readonly string[] = [
  'agent_change_mode',
  'set_active_context',
  'release_focus',
  'set_run_mode',
  'run_recipe',
  'open_session',
  'open_picker',
  'send_email',
  'workspace_sync',
  'workspace_apply',
  'workspace_use_pack',
  'workspace_use_catalog',
  'workspace_roll_back',
  'agent_start_workflow',
];
