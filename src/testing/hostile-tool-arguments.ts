/** Nested lists of the given depth. */
export const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
export const megabyte = JSON.stringify('x'.repeat(1_000_000));

/** Texts that are not valid arguments or name no valid operation. */
export const noOperation: readonly string[] = [
  ...[
    '',
    ' ',
    'null',
    '[]',
    '"x"',
    '1',
    'true',
    '{',
    '{}',
    '{"operation"}',
    'NaN',
    '\ufeff{}',
    nested(50_000),
  ],
  ...["{'operation':'x'}", '{"operation":"x",}', '{"__proto__":{"operation":"list_workflows"}}'],
];
/** Invalid values of `operation`, as JSON. */
export const wrongOperations: readonly string[] = [
  ...['null', '""', '" "', '1', '[]', '{}', 'true', '["list_workflows"]', '"__proto__"', '"constructor"'],
  ...['"toString"', '"List_Workflows"', '" list_workflows "', '"list_w\u043erkflows"'],
  ...['"list_workflows\\u0000"', '"\\ud800"', '"\\u202elist_workflows"', megabyte, nested(400)],
];
/** Values of `workflowId`, as JSON, that name no workflow. */
export const wrongIds: readonly string[] = [
  ...[
    '""',
    '" "',
    'null',
    '5',
    '[]',
    '{}',
    'true',
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"create_ddr "',
  ],
  ...['"Create_ddr"', '"cre\u0430te_ddr"', '"create_ddr\\u0000"', '"create\\u202e_ddr"', '"\\ud800"'],
  ...['"../create_ddr"', '"/etc/passwd"', '"CON"', '"create-ddr"', '"create_ddr\\n"', '"\uff43reate_ddr"'],
  ...['"no_such_workflow"', megabyte, nested(400)],
];
