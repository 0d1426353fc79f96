/** @typedef {{selector: string, message: string}} Ban a syntax that the project does not use */

/** Everywhere: functions, unions and named exports are enough. @type {Ban[]} */
export const HOUSE_SYNTAX = [
  { selector: 'ClassDeclaration', message: 'No classes: state lives in createX(deps).' },
  { selector: 'ClassExpression', message: 'No classes: state lives in createX(deps).' },
  { selector: 'TSEnumDeclaration', message: 'No enums: use a union of strings.' },
  { selector: 'ExportDefaultDeclaration', message: 'No default exports: a thing has one name.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from where the thing lives.' },
  {
    selector: 'ExportNamedDeclaration[source]',
    message: 'No re-exports: import from where the thing lives.',
  },
  { selector: 'Decorator', message: 'No decorators.' },
  { selector: 'ThisExpression', message: 'No this: functions close over what they need.' },
];

/** In the core, time comes through a port. @type {Ban[]} */
export const CORE_SYNTAX = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'The clock is a port: the core does not read the time.',
  },
];

/** In the window, untrusted text never becomes HTML. @type {Ban[]} */
export const RENDERER_SYNTAX = [
  { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Text never becomes HTML.' },
  {
    selector: 'AssignmentExpression[left.property.name=/^(inner|outer)HTML$/]',
    message: 'Text never becomes HTML.',
  },
  {
    selector: "CallExpression[callee.property.name='insertAdjacentHTML']",
    message: 'Text never becomes HTML.',
  },
];

const RUNNERS = '/^(it|test|describe|suite)$/';

/** In tests: no disabled tests and no sleeping. A skip needs a condition and a reason. @type {Ban[]} */
export const TEST_SYNTAX = [
  {
    selector: `MemberExpression[object.name=${RUNNERS}][property.name=/^(only|todo|fixme|fails)$/]`,
    message: 'A test that is switched off is not a test.',
  },
  {
    selector: `CallExpression[callee.object.name=${RUNNERS}][callee.property.name='skip']:matches([arguments.length!=2], [arguments.0.type=/Literal$/])`,
    message: 'A test that is switched off is not a test: skip on a condition, and say why.',
  },
  { selector: "CallExpression[callee.name='setTimeout']", message: 'A test never sleeps: await an event.' },
  {
    selector: "CallExpression[callee.property.name='waitForTimeout']",
    message: 'A test never sleeps: await what the user would see.',
  },
  {
    selector:
      "CallExpression[callee.property.name='toMatchObject'] :matches(Property, ArrayExpression) > Literal[regex]",
    message: 'A pattern in toMatchObject matches anything: use expect.stringMatching.',
  },
];
