// Writes the reference of the public API to docs/reference, from the types and docstrings.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import ts from "typescript";
import { root } from "./entryPoints.mjs";
import {
  checker,
  exported,
  isNothing,
  isPublic,
  limiter,
  merged,
  modules,
  nameOf,
  partsOf,
  print,
  printField,
  READABLE,
  textOfDoc,
  variantsOf,
} from "./publicTypes.mjs";

/** The pages, and the functions, methods and types that each begins with. */
const pages = Object.entries(
  JSON.parse(readFileSync(`${root}docs/.vitepress/reference.json`, "utf8")),
).map(([page, { types = [], ...rest }]) => ({ page, types, ...rest }));

/** The site lays these pages out in its own way, and a tab says what they are. */
const FRONT =
  '---\npageClass: reference\ntitleTemplate: ":title | API of convex-rate-limiter"\n---';

const LIMIT = "A limit of the constructor, or any name with a `config`.";

/** What to say of a parameter of these types. */
const PARAMETERS = {
  GenericId: "The `scheduledId` that `schedule` returned.",
  ItemsOf: "The requests, at least one.",
  NameOf: LIMIT,
  RefillingNameOf: LIMIT,
  NameWith: "A limit of the constructor.",
  RateLimitName: "A limit of the constructor.",
  RateLimiter: "The limits of the app.",
};

const isType = ({ node }) =>
  ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node);
const isConstant = (node) => ts.isVariableDeclaration(node);

/** What the pages explain, with one or more signatures each. */
const functions = new Map(
  [
    ...limiter.members
      .filter((member) => ts.isMethodDeclaration(member) && isPublic(member))
      .map((node) => ({ name: node.name.text, of: "rateLimiter.", node })),
    ...[...exported.values()]
      .filter(({ node }) => ts.isFunctionDeclaration(node))
      .map((entry) => ({ ...entry, of: "" })),
  ].map((entry) => [entry.name, entry]),
);
/** Where each name is explained: a type on the first page that mentions it. */
const places = new Map(
  pages.flatMap(({ page, names, types }) =>
    [...names, ...types].map((name) => [name, { page, anchor: slug(name) }]),
  ),
);
/** Which type has explained a field, by its row in the table. */
const explained = new Map();
const written = pages.map((page) => [page, textOf(page)]);
const missing = [
  ...functions.values(),
  ...[...exported.values()].filter(isType),
]
  .map(({ name }) => name)
  .filter((name) => !places.has(name));
if (missing.length > 0) {
  throw new Error(
    `docs/.vitepress/reference.json has no page for ${missing.join(", ")}.`,
  );
}
const out = `${root}docs/reference/`;
rmSync(out, { recursive: true, force: true });
mkdirSync(out);
for (const [{ page }, text] of written) writeFileSync(`${out}${page}.md`, text);
writeFileSync(`${out}index.md`, index());

function index() {
  const entries = pages.map(({ page, title, names }) => {
    const links = names.map(
      (name) => `[\`${name}\`](${page}.md#${slug(name)})`,
    );
    return `- [${title}](${page}.md): ${links.join(", ")}`;
  });
  return `# API reference\n\n${entries.join("\n")}\n`;
}

function textOf({ page, title, names, types }) {
  const texts = names.flatMap((name) =>
    functions.has(name) ? functionText(name, page) : classText(page),
  );
  // The types that the page mentions, those that these mention, and so on.
  const shown = new Map();
  const next = () =>
    [...exported.values()].find(
      ({ name }) =>
        !shown.has(name) &&
        !names.includes(name) &&
        places.get(name)?.page === page &&
        places.get(name).anchor === slug(name),
    );
  for (const name of types) {
    shown.set(name, typeText(exported.get(name), page));
  }
  for (let entry = next(); entry !== undefined; entry = next()) {
    shown.set(entry.name, typeText(entry, page));
  }
  const after = shown.size === 0 ? [] : ["## Types", ...shown.values()];
  return `${[FRONT, `# ${title}`, ...texts, ...after].join("\n\n")}\n`;
}

function classText(page) {
  const { members } = limiter;
  const constants = [...exported.values()]
    .filter(({ id, node }) => id === modules[0].id && isConstant(node))
    .map(({ name }) => `\`${name}\``);
  return [
    "## RateLimiter",
    importOf(exported.get("RateLimiter")),
    docOf(limiter, page),
    "### new RateLimiter()",
    callsText(
      "new RateLimiter",
      [members.find(ts.isConstructorDeclaration)],
      page,
    ),
    table(
      ["Property", "Type", "Description"],
      members
        .filter((node) => ts.isPropertyDeclaration(node) && isPublic(node))
        .map((node) => [
          `\`${node.name.text}\``,
          code(print(node.type), page),
          cell(docOf(node, page)),
        ]),
    ),
    "### Periods",
    `For configs, in ms: ${constants.join(", ")}.`,
  ].join("\n\n");
}

function functionText(name, page) {
  const { node, of, id } = functions.get(name);
  const { declarations } = checker.getSymbolAtLocation(node.name);
  const overloads = declarations.filter(({ body }) => body === undefined);
  return [
    `## ${name}()`,
    ...(id === undefined ? [] : [importOf({ name, id })]),
    callsText(of + name, overloads.length > 0 ? overloads : declarations, page),
  ].join("\n\n");
}

/** What a function does, takes, returns and throws. */
function callsText(call, signatures, page) {
  const [first] = signatures;
  const anchor = slug(call.replace(/^.*[. ]/, ""));
  const lists = signatures.map(({ parameters }) =>
    parameters.map((node) => parameterOf(node, { page, anchor })),
  );
  const parameters = lists.flat();
  const told = (kind) =>
    ts
      .getJSDocTags(first)
      .filter(({ tagName }) => tagName.text === kind)
      .map(({ comment }) => linked(ts.getTextOfJSDocComment(comment), page));
  const plain = parameters.filter(({ fields }) => fields === undefined);
  const returns = first.type && code(print(first.type), page);
  const shown = lists.map((list) => signatureOf(call, list, first.type));
  return [
    `\`\`\`ts\n${shown.join("\n\n")}\n\`\`\``,
    docOf(first, page),
    table(
      ["Parameter", "Type", "Description"],
      plain.map((parameter) => [
        `\`${parameter.shown}\``,
        code(parameter.type, page),
        cell(linked(parameter.doc, page)),
      ]),
    ),
    ...parameters
      .filter(({ fields }) => fields !== undefined)
      .map(({ fields, name, doc }) =>
        [
          `**Options**${name === undefined ? "" : ` (\`${name}\`)`}${doc && `: ${doc}`}`,
          fieldsTable("Option", fields, page),
        ].join("\n\n"),
      ),
    ...(returns
      ? [`**Returns** ${[returns, ...told("returns")].join(": ")}`]
      : []),
    ...told("throws").map((text) => `**Throws** ${text}`),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A signature as a person would write it, without the type parameters that check a call. */
function signatureOf(call, parameters, returns) {
  const list = parameters.map(({ shown, type, fields, isRequired }) => {
    if (fields === undefined) return `${shown}: ${type}`;
    const lines = [...fields]
      .filter((field) => !isNothing(field))
      .map((field) => {
        const mark = isRequired(field.name) ? "" : "?";
        return `  ${field.name}${mark}: ${printField(field)},\n`;
      });
    return `${shown}: {\n${lines.join("")}}`;
  });
  const answer = returns === undefined ? "" : `: ${print(returns)}`;
  const text = `${call}(${list.join(", ")})${answer}`;
  const isLong = text.length > 80 && !text.includes("\n");
  return isLong ? `${call}(\n  ${list.join(",\n  ")},\n)${answer}` : text;
}

function parameterOf(node, place) {
  const { type } = node;
  const isOptional = checker.isOptionalParameter(node);
  const name = ts.isIdentifier(node.name) ? node.name.text : "options";
  const shown = `${name}${isOptional ? "?" : ""}`;
  const [tag] = ts.getJSDocParameterTags(node);
  const own = partsOf(
    ts.isConditionalTypeNode(type) ? type.falseType : type,
  ).map(nameOf);
  const doc =
    tag !== undefined
      ? ts.getTextOfJSDocComment(tag.comment)
      : (own.map((typeName) => PARAMETERS[typeName]).find(Boolean) ?? "");
  if (name === "options") {
    const named = own.find((typeName) => exported.has(typeName));
    // Explained here, and so nowhere else.
    if (named !== undefined && !places.has(named)) places.set(named, place);
    const variants = variantsOf(type);
    const isRequired = (field) =>
      variants.every((fields) => {
        const found = fields.get(field);
        return found && !found.isOptional && !isNothing(found);
      });
    return { shown, doc, name: named, fields: merged(variants), isRequired };
  }
  const ofType = own.map((typeName) => exported.get(typeName)).find(Boolean);
  const [summary] = textOfDoc(ofType?.node).split("\n\n");
  return { shown, type: print(type), doc: doc || summary };
}

function typeText({ name, node }, page) {
  const body = bodyText(name, node.type ?? node, page);
  return [`### ${name}`, docOf(node, page), body]
    .filter((text) => text !== "")
    .join("\n\n");
}

function bodyText(name, type, page) {
  // What it says of itself is enough.
  if (name.endsWith("Ctx")) return "";
  if (ts.isInterfaceDeclaration(type)) {
    return fieldsTable("Field", merged(variantsOf(type)), page, name);
  }
  const printed = code(READABLE[name] ?? print(type), page);
  const variants = variantsOf(type);
  const isMadeOfNames =
    !printed.includes("{") &&
    (!ts.isIntersectionTypeNode(type) || printed === "`string`");
  const hasNoDocs = merged(variants).every(({ docs }) => docs.length === 0);
  if (isMadeOfNames || hasNoDocs) return printed;
  const tag = variants.length < 2 ? undefined : tagOf(variants);
  if (tag === undefined) {
    return fieldsTable("Field", merged(variants), page, name);
  }
  return variants
    .map((fields) => {
      const { [tag]: of, ...rest } = Object.fromEntries(fields);
      return `**\`${tag}: ${printField(of)}\`**\n\n${fieldsTable("Field", Object.values(rest), page)}`;
    })
    .join("\n\n");
}

/** The field that tells variants of a type apart, if one does. */
function tagOf(variants) {
  const [first] = variants;
  return [...first.keys()].find((name) => {
    const values = variants.map((fields) => fields.get(name));
    return (
      values.every((field) => field && ts.isLiteralTypeNode(field.type)) &&
      new Set(values.map(printField)).size === variants.length
    );
  });
}

/** Fields that an earlier type of the page has too are named, not explained again. */
function fieldsTable(title, fields, page, type) {
  const rows = [...fields]
    .filter((field) => !isNothing(field))
    .sort((a, b) => Number(a.isOptional) - Number(b.isOptional))
    .flatMap((field) => rowsOf(field, page));
  const before = ([name, , doc]) =>
    doc === "" ? undefined : explained.get(`${page}: ${name} ${doc}`);
  const again = type === undefined ? [] : rows.filter(before);
  if (type !== undefined) {
    for (const [name, , doc] of rows) {
      const row = `${page}: ${name} ${doc}`;
      if (!explained.has(row)) explained.set(row, type);
    }
  }
  const [first] = again;
  const names = again.map(([name]) => name).join(", ");
  return [
    table(
      [title, "Type", "Description"],
      rows.filter((row) => !again.includes(row)),
    ),
    first === undefined ? "" : `As in ${link(before(first), page)}: ${names}.`,
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

function rowsOf({ name, isOptional, type, env, docs, defaults, when }, page) {
  const doc = [
    ...(when === undefined ? [] : [`Only with \`${when}\`.`]),
    ...docs,
    ...defaults.map((text) => {
      const isValue = /^(["\d]|true|false)/.test(text);
      return `Default: ${isValue ? `\`${text}\`` : text}.`;
    }),
  ];
  const shown = `\`${name}${isOptional ? "?" : ""}\``;
  const printed = code(printField({ type, env, isOptional }), page);
  const inner = ts.isTypeLiteralNode(type) ? merged(variantsOf(type, env)) : [];
  return [
    [
      shown,
      inner.length > 0 ? "`object`" : printed,
      cell(linked(doc.join("\n\n"), page)),
    ],
    ...inner.flatMap((field) =>
      rowsOf({ ...field, name: `${name}.${field.name}` }, page),
    ),
  ];
}

function importOf({ name, id }) {
  return `\`\`\`ts\nimport { ${name} } from "${id}";\n\`\`\``;
}

function docOf(node, page) {
  return linked(textOfDoc(node), page);
}

function linked(text, page) {
  return text.replace(/\{@link ([\w.]+)\}/g, (_, name) =>
    link(name.replace(/^.*\./, ""), page),
  );
}

/** A type as code, in which names are links. */
function code(type, page) {
  if (type === undefined || type === "") return "";
  return type
    .split(/([A-Za-z]\w*)/)
    .reduce(
      (texts, part, i) =>
        i % 2 === 1 && exported.has(part)
          ? [...texts, link(part, page), ""]
          : [...texts.slice(0, -1), texts.at(-1) + part],
      [""],
    )
    .map((text, i) => (i % 2 === 1 || text === "" ? text : `\`${text}\``))
    .join("");
}

/** A link to what is exported. A type that no page has explained yet is explained on this one. */
function link(name, page) {
  if (!places.has(name)) places.set(name, { page, anchor: slug(name) });
  const place = places.get(name);
  const path = place.page === page ? "" : `${place.page}.md`;
  return `[\`${name}\`](${path}#${place.anchor})`;
}

function slug(name) {
  return name.toLowerCase();
}

function table(head, rows) {
  if (rows.length === 0) return "";
  const line = (cells) =>
    `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  return [head, head.map(() => "---"), ...rows].map(line).join("\n");
}

/** Paragraphs and lists in one line. */
function cell(text) {
  return text
    .replace(/\n\s*\n?- /g, "<br>• ")
    .replace(/\n\n/g, "<br><br>")
    .replace(/\n\s*/g, " ");
}
