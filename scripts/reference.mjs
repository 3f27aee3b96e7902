// Writes the reference of the public API to docs/reference, from the docstrings.
import { existsSync } from "node:fs";
import { Application } from "typedoc";
import { entryPoints, root } from "./entryPoints.mjs";

const idOf = new Map(
  entryPoints.map(({ id, path }) => [path.replace(/\/index$/, ""), id]),
);

const app = await Application.bootstrapWithPlugins({
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: entryPoints.map(({ path }) =>
    [`${root}src/${path}.ts`, `${root}src/${path}.tsx`].find(existsSync),
  ),
  tsconfig: `${root}tsconfig.json`,
  out: `${root}docs/reference`,
  outputFileStrategy: "modules",
  readme: "none",
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  // Nobody reads what register is made of.
  exclude: [`${root}src/component/schema.ts`],
  parametersFormat: "table",
  typeDeclarationFormat: "table",
  propertyMembersFormat: "table",
  expandObjects: true,
  pageTitleTemplates: {
    index: "API reference",
    module: ({ name }) => idOf.get(name) ?? name,
  },
  // npm run typecheck looks at the types.
  skipErrorChecking: true,
  // Types that only appear within others need no page.
  validation: { notExported: false, invalidLink: true },
  treatValidationWarningsAsErrors: true,
  logLevel: "Warn",
});
const project = await app.convert();
if (project === undefined) process.exit(1);
app.validate(project);
await app.generateOutputs(project);
if (app.logger.hasErrors()) process.exit(1);
