/*
 * Reads what the package exports, for the reference of the API: the pages say `config?:
 * RefillingConfig` where TypeScript, which checks each call by its limit, says more than a reader
 * wants to know, also by `checker.typeToString`. The declarations that are published are those that
 * TypeScript emits.
 */
import { existsSync } from "node:fs";
import ts from "typescript";
import { entryPoints, root } from "./entryPoints.mjs";

/** What readers see instead of the types by which the compiler checks a call. */
export const READABLE = {
  AnyName: "string",
  ArgsOf: "object",
  ComponentApi: "ComponentApi",
  IdOf: "string",
  NameOf: "string",
  NamesBut: "string",
  NameWith: "string",
  RateLimitName: "string",
  RefillingNameOf: "string",
  Schedulable: "FunctionReference",
  Segment: "object",
  WrittenConfig: "LimitConfig",
  WrittenRefilling: "RefillingConfig",
};

/** Types that only check a call, and add nothing that readers could write. */
const UNSEEN = ["Inferred", "InferredFields", "InferredKind", "KeyIfRequired"];

/** The modules that apps import: their names and files. */
export const modules = entryPoints.map(({ id, path }) => ({
  id,
  file: [`${root}src/${path}.ts`, `${root}src/${path}.tsx`].find(existsSync),
}));
const options = { jsx: ts.JsxEmit.ReactJSX, noLib: true, types: [] };
const host = ts.createCompilerHost(options);
// Only what the package declares itself: the rest would take most of the time.
host.resolveModuleNameLiterals = (names, file) =>
  names.map(({ text }) =>
    text.startsWith(".")
      ? ts.resolveModuleName(text, file, options, host)
      : { resolvedModule: undefined },
  );
const program = ts.createProgram(
  modules.map(({ file }) => file),
  options,
  host,
);
export const checker = program.getTypeChecker();

/**
 * What the package exports one by one, by its name: what declares it, and the module it comes from.
 * What `export *` adds is only for the declaration files of apps.
 */
export const exported = new Map();
for (const { id, file } of modules) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  for (const entry of checker.getExportsOfModule(module)) {
    const { name } = entry;
    if (name === "default" || exported.has(name)) continue;
    if (!module.exports.has(name)) continue;
    exported.set(name, { name, id, node: declarationOf(entry) });
  }
}
/** The class `RateLimiter`. */
export const limiter = exported.get("RateLimiter").node;

/**
 * The fields of a type: one map for each member of a union. A type parameter has the type that
 * `env` gives it. A conditional type counts as if its condition did not hold; if it then adds
 * nothing, what it would add is told to depend on the option.
 */
export function variantsOf(node, env = new Map()) {
  if (ts.isParenthesizedTypeNode(node)) return variantsOf(node.type, env);
  if (ts.isUnionTypeNode(node)) {
    return node.types.flatMap((type) => variantsOf(type, env));
  }
  if (ts.isIntersectionTypeNode(node)) {
    return node.types
      .map((type) => variantsOf(type, env))
      .reduce((left, right) =>
        left.flatMap((a) => right.map((b) => new Map([...a, ...b, ...a]))),
      );
  }
  if (ts.isTypeLiteralNode(node)) return [fieldsOf(node.members, env)];
  if (ts.isInterfaceDeclaration(node)) {
    const parents = (node.heritageClauses ?? []).flatMap(({ types }) => types);
    const inherited = parents.flatMap((parent) => variantsOf(parent, env));
    const own = fieldsOf(node.members, env);
    return [new Map([...inherited.flatMap((fields) => [...fields]), ...own])];
  }
  if (ts.isConditionalTypeNode(node)) {
    const addsNothing = node.falseType.kind === ts.SyntaxKind.UnknownKeyword;
    if (!addsNothing) return variantsOf(node.falseType, env);
    const name = print(node.checkType, env, { isName: true });
    const when = `${name[0].toLowerCase()}${name.slice(1)}: true`;
    return variantsOf(node.trueType, env).map(
      (fields) =>
        new Map([...fields].map(([key, field]) => [key, { ...field, when }])),
    );
  }
  // `{ [Name in Names]: Item }[Names]`
  if (
    ts.isIndexedAccessTypeNode(node) &&
    ts.isMappedTypeNode(node.objectType)
  ) {
    return variantsOf(node.objectType.type, env);
  }
  const name = nameOf(node);
  if (name === "" || UNSEEN.includes(name)) return [new Map()];
  const [of, keys] = node.typeArguments ?? [];
  if (name === "Omit") {
    const left = stringsOf(keys);
    return variantsOf(of, env).map(
      (fields) => new Map([...fields].filter(([key]) => !left.includes(key))),
    );
  }
  const given = env.get(symbolOf(node));
  if (given !== undefined) return variantsOf(given.node, given.env);
  const own = declarationIn(node);
  return own === undefined
    ? [new Map()]
    : variantsOf(own.type ?? own, bound(own, node, env));
}

function fieldsOf(members, env) {
  return new Map(
    members.map((member) => [
      member.name.text,
      {
        name: member.name.text,
        isOptional: member.questionToken !== undefined,
        type: member.type,
        env,
        docs: [textOfDoc(member)].filter(Boolean),
        defaults: ts
          .getJSDocTags(member)
          .filter(({ tagName }) => tagName.text === "default")
          .map(({ comment }) => ts.getTextOfJSDocComment(comment)),
      },
    ]),
  );
}

/** The fields of all variants in one list. */
export function merged(variants) {
  const fields = new Map();
  for (const field of variants.flatMap((each) => [...each.values()])) {
    const known = fields.get(field.name) ?? field;
    fields.set(field.name, {
      ...(isNothing(known) ? field : known),
      docs: [...new Set([...known.docs, ...field.docs])],
      defaults: [...new Set([...known.defaults, ...field.defaults])],
    });
  }
  return [...fields.values()];
}

/** Whether a field only says that it is not there. */
export function isNothing(field) {
  return /^((undefined|null|never)( \| |$))*$/.test(printField(field));
}

export function printField({ type, env, isOptional = false }) {
  return print(type, env, { isOptional });
}

/** A type as readers want it, without what only the compiler needs. */
export function print(node, env = new Map(), { isName, isOptional } = {}) {
  const inner = (type) => print(type, env, { isName });
  const grouped = (type) => {
    const text = inner(type);
    return /[|&]|=>/.test(text) ? `(${text})` : text;
  };
  if (ts.isParenthesizedTypeNode(node)) return inner(node.type);
  if (ts.isUnionTypeNode(node)) {
    const types = node.types.filter(
      ({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword || !isOptional,
    );
    if (types.length === 1) return inner(types[0]);
    const members = types.map((type) =>
      ts.isParenthesizedTypeNode(type) ? grouped(type) : inner(type),
    );
    return [...new Set(members)].filter(Boolean).join(" | ");
  }
  if (ts.isIntersectionTypeNode(node)) {
    const members = [...new Set(node.types.map(grouped))].filter(Boolean);
    return members.includes("string") ? "string" : members.join(" & ");
  }
  if (ts.isConditionalTypeNode(node)) return inner(node.falseType);
  if (ts.isArrayTypeNode(node)) return `${grouped(node.elementType)}[]`;
  if (ts.isTypeOperatorNode(node)) return inner(node.type);
  // `ItemsOf<Limits, Items, HoldItemOptions>`
  if (nameOf(node) === "ItemsOf") {
    const isHeld = nameOf(node.typeArguments[2]) === "HoldItemOptions";
    return isHeld ? "HoldAllItem[]" : "LimitAllItem[]";
  }
  if (ts.isFunctionTypeNode(node)) {
    const names = node.parameters.map((parameter) => {
      const { name, type, questionToken } = parameter;
      const text = name.text + (questionToken === undefined ? "" : "?");
      const isOwn = name.text !== "ctx" && exported.has(nameOf(type));
      return isOwn ? `${text}: ${inner(type)}` : text;
    });
    return `(${names.join(", ")}) => ${inner(node.type)}`;
  }
  if (ts.isTypeLiteralNode(node)) {
    const fields = node.members.map((member) => {
      const mark = member.questionToken === undefined ? "" : "?";
      return `${member.name.text}${mark}: ${inner(member.type)}`;
    });
    return `{ ${fields.join("; ")} }`;
  }
  if (!ts.isTypeReferenceNode(node)) return node.getText();
  const name = nameOf(node);
  if (UNSEEN.includes(name)) return "";
  const symbol = symbolOf(node);
  const given = env.get(symbol);
  if (given !== undefined)
    return print(given.node, given.env, { isName, isOptional });
  const [declaration] = symbol?.declarations ?? [];
  if (declaration && ts.isTypeParameterDeclaration(declaration)) {
    const { constraint } = declaration;
    return isName || !constraint ? name : inner(constraint);
  }
  if (name in READABLE) return READABLE[name];
  if (exported.has(name)) return name;
  const own = declarationIn(node);
  if (own?.type !== undefined)
    return print(own.type, bound(own, node, env), { isName, isOptional });
  const args = node.typeArguments?.map(inner) ?? [];
  return args.length === 0 ? name : `${name}<${args.join(", ")}>`;
}

function symbolOf(node) {
  return checker.getSymbolAtLocation(node.typeName ?? node.expression);
}

/** The alias or the interface of this package that a type refers to. */
function declarationIn(node) {
  let symbol = symbolOf(node);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) {
    symbol = checker.getAliasedSymbol(symbol);
  }
  return symbol?.declarations?.find(
    (own) =>
      (ts.isTypeAliasDeclaration(own) || ts.isInterfaceDeclaration(own)) &&
      own.getSourceFile().fileName.startsWith(`${root}src/`),
  );
}

/** What the parameters of an alias are where it is used. */
function bound({ typeParameters = [] }, { typeArguments = [] }, env) {
  return new Map(
    typeParameters.map((parameter, i) => [
      checker.getSymbolAtLocation(parameter.name),
      { node: typeArguments[i] ?? parameter.default, env },
    ]),
  );
}

function declarationOf(symbol) {
  const isAlias = symbol.flags & ts.SymbolFlags.Alias;
  const own = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
  return own.declarations[0];
}

export function partsOf(type) {
  return ts.isIntersectionTypeNode(type) || ts.isUnionTypeNode(type)
    ? type.types
    : [type];
}

export function nameOf(type) {
  if (ts.isTypeReferenceNode(type)) return type.typeName.getText();
  // What an interface extends.
  const isParent = ts.isExpressionWithTypeArguments(type);
  return isParent ? type.expression.getText() : "";
}

function stringsOf(type) {
  return partsOf(type).map(({ literal }) => literal.text);
}

export function isPublic(node) {
  const flags = ts.getCombinedModifierFlags(node);
  return (flags & ts.ModifierFlags.Private) === 0;
}

/** The docstring of a declaration, without its tags. */
export function textOfDoc(node) {
  if (node === undefined) return "";
  const doc = ts.getJSDocCommentsAndTags(node).findLast(ts.isJSDoc);
  return ts.getTextOfJSDocComment(doc?.comment) ?? "";
}
