// Writes the public API to test/api, so that reviewers see when it changes.
// With --check it writes nothing, and fails if what is there is out of date.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
} from "@microsoft/api-extractor";
import { entryPoints, root } from "./entryPoints.mjs";

const isCheck = process.argv.includes("--check");
// Not in node_modules, where everything is another package's.
const types = mkdtempSync(`${root}test/api/.types-`);
try {
  execFileSync(
    process.execPath,
    [
      `${root}node_modules/typescript/bin/tsc`,
      ...["--project", `${root}tsconfig.build.json`, "--outDir", types],
      ...["--emitDeclarationOnly", "--declarationMap", "false"],
    ],
    { stdio: "inherit" },
  );
  const configs = entryPoints.map((entry) => configOf(entry.path));
  const compilerState = CompilerState.create(configs[0], {
    additionalEntryPoints: configs.map((one) => one.mainEntryPointFilePath),
  });
  const changed = configs.filter((config) => {
    const { apiReportChanged } = Extractor.invoke(config, {
      compilerState,
      localBuild: !isCheck,
      messageCallback: (message) => {
        message.handled = message.logLevel !== "error";
      },
    });
    return apiReportChanged;
  });
  for (const { reportFilePath } of changed) {
    const file = path.relative(root, reportFilePath);
    console.log(isCheck ? `${file} is out of date.` : `${file} has changed.`);
  }
  if (isCheck && changed.length > 0) {
    console.log(
      "The public API has changed. If that is meant, run `npm run api` and commit what it writes.",
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(types, { recursive: true, force: true });
}

function configOf(entry) {
  const name = entry.replace(/\/index$/, "");
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: `${types}/${entry}.d.ts`,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "ESNext",
            module: "NodeNext",
            moduleResolution: "NodeNext",
            lib: ["ES2023", "DOM", "DOM.Iterable"],
            jsx: "react-jsx",
            types: [],
            strict: true,
            skipLibCheck: true,
          },
          files: [`${types}/${entry}.d.ts`],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: `${root}test/api`,
        reportTempFolder: `${types}/reports`,
        // Exports of client refer to types that it does not export; the other entries use client's.
        includeForgottenExports: name === "client",
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: { default: { logLevel: "none" } },
        compilerMessageReporting: { default: { logLevel: "none" } },
        tsdocMessageReporting: { default: { logLevel: "none" } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: `${root}package.json`,
  });
}
