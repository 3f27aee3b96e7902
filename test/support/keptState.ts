import { Linter, type Rule, type Scope } from "eslint";
import type { Node } from "estree";
import { parser } from "typescript-eslint";

/** What a module may call when it is evaluated. It makes numbers, functions, references and rules. */
const MAKERS =
  /^(UTC|anyOf|componentsGeneric|indexOf|internalMutation|internalQuery|lazily|mutation|query|shareOf|timeFrom)$/;

const MUTATORS =
  /^(add|clear|copyWithin|delete|fill|pop|push|reverse|set|shift|sort|splice|unshift)$/;

type Walked = Node & { parent?: Walked };

/** Whether a node is evaluated only when a function runs, or when an object is made. */
function isDeferred(node: Walked): boolean {
  for (let at = node.parent; at?.parent; at = at.parent) {
    if (/Function/.test(at.type)) return true;
    if (at.type === "PropertyDefinition") return !at.static;
  }
  return false;
}

/** Whether an identifier, or something within it, is changed where it is named. */
function isChanged(identifier: Walked): boolean {
  let node = identifier;
  let method = "";
  for (;;) {
    const parent = node.parent!;
    const type: string = parent.type;
    if (parent.type === "MemberExpression" && parent.object === node) {
      const { property } = parent;
      method = property.type === "Identifier" ? property.name : "";
    } else if (!/^TS(NonNull|As|Satisfies)Expression$/.test(type)) break;
    node = parent;
  }
  const parent = node.parent!;
  switch (parent.type) {
    case "AssignmentExpression":
      return parent.left === node;
    case "UpdateExpression":
      return true;
    case "UnaryExpression":
      return parent.operator === "delete";
    case "CallExpression": {
      if (parent.callee === node) return MUTATORS.test(method);
      const callee = parent.callee;
      return (
        parent.arguments[0] === node &&
        callee.type === "MemberExpression" &&
        callee.object.type === "Identifier" &&
        /^(Object|Reflect)$/.test(callee.object.name) &&
        callee.property.type === "Identifier" &&
        /^(assign|define|delete|set)/.test(callee.property.name)
      );
    }
    default:
      return false;
  }
}

const rule: Rule.RuleModule = {
  create: (context) => {
    const { sourceCode } = context;
    const report = (node: Node, message: string) =>
      context.report({ node, message });
    /** Reports what is made when the module is evaluated. */
    const made = (node: Node) => {
      if (!isDeferred(node)) report(node, sourceCode.getText(node));
    };
    const checkVariable = ({ name, defs, references }: Scope.Variable) => {
      for (const { type, parent } of defs) {
        if (type === "Variable" && parent.kind !== "const") {
          report(parent, `${parent.kind} ${name}`);
        }
      }
      for (const { identifier, init } of references) {
        if (init !== true && isChanged(identifier as Walked)) {
          report(identifier as Node, `changes ${name}`);
        }
      }
    };
    return {
      Program: () => {
        const globals = sourceCode.scopeManager.globalScope!;
        globals.variables.forEach(checkVariable);
        globals.childScopes[0]!.variables.forEach(checkVariable);
      },
      NewExpression: made,
      "ArrayExpression[elements.length=0]": made,
      // Not the `args` of a function.
      ":not(Property) > ObjectExpression[properties.length=0]": made,
      "Literal[regex.flags=/[gy]/]": made,
      CallExpression: (node) => {
        const { callee } = node;
        const named =
          callee.type === "MemberExpression" ? callee.property : callee;
        if (named.type !== "Identifier" || !MAKERS.test(named.name)) made(node);
      },
      "PropertyDefinition[static=true]": (node: Node) =>
        report(node, sourceCode.getText(node)),
      StaticBlock: (node) => report(node, sourceCode.getText(node)),
    };
  },
};

/**
 * What a module could keep from one call to the next: variables, collections, classes' static
 * fields, regular expressions with a `lastIndex`, what unknown calls make, and whatever its
 * functions change in it or in globals.
 */
export function keptStateOf(code: string): string[] {
  const messages = new Linter().verify(code, {
    languageOptions: { parser },
    linterOptions: { noInlineConfig: true },
    plugins: { kept: { rules: { state: rule } } },
    rules: { "kept/state": "error" },
  });
  // A lesser one says that a file would turn rules off.
  return messages
    .filter(({ severity }) => severity === 2)
    .map(({ message }) => message.split("\n")[0]!);
}
