/**
 * Imports stand in this order: Node's modules, packages, files of outer folders from the outermost inwards, files of the same
 * folder and below. `npm run lint -- --fix` sorts them. An import without names is executed for its effect: it
 * stays where it is, and no import passes it.
 */
const importOrder = {
  meta: {
    type: 'layout',
    fixable: 'code',
    messages: {
      order:
        'Import {{later}} before {{earlier}}: first node:, then packages, outer folders, the same folder.',
    },
    schema: [],
  },
  create: (context) => ({
    Program(program) {
      for (const block of importBlocks(program.body)) checkBlock(context, block);
    },
  }),
};

export default { meta: { name: 'steward' }, rules: { 'import-order': importOrder } };

/** Consecutive imports that bind names. */
function importBlocks(statements) {
  const blocks = [[]];
  for (const statement of statements) {
    if (statement.type === 'ImportDeclaration' && statement.specifiers.length > 0)
      blocks.at(-1).push(statement);
    else blocks.push([]);
  }
  return blocks.filter(({ length }) => length > 1);
}

function checkBlock(context, block) {
  const wrong = block.findIndex((one, index) => index > 0 && rank(one) < rank(block[index - 1]));
  if (wrong === -1) return;
  const [first, last] = [block[0], block.at(-1)];
  const source = context.sourceCode;
  const sorted = block.toSorted((one, other) => rank(one) - rank(other));
  context.report({
    node: block[wrong],
    messageId: 'order',
    data: { later: block[wrong].source.raw, earlier: block[wrong - 1].source.raw },
    // A comment may belong to either of its neighbors, so such a block is sorted by hand.
    ...(!hasComment(source, block) && {
      fix: (fixer) =>
        fixer.replaceTextRange(
          [first.range[0], last.range[1]],
          sorted.map((one) => source.getText(one)).join('\n'),
        ),
    }),
  });
}

const hasComment = (source, block) =>
  source
    .getAllComments()
    .some(({ range: [start] }) => start > block[0].range[0] && start < block.at(-1).range[1]);

/** Lower ranks come first. A path that leaves 1,000 folders or more does not occur. */
function rank({ source: { value: path } }) {
  if (path.startsWith('node:')) return 0;
  if (!path.startsWith('.')) return 1;
  const folders = path.split('/').filter((part) => part === '..').length;
  return 1_000 - folders;
}
