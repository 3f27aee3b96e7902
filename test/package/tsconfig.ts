/** The settings of an app whose functions are type-checked, and not those of other packages. */
export const tsconfig = JSON.stringify({
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    module: "ESNext",
    moduleResolution: "Bundler",
    strict: true,
    noEmit: true,
    types: [],
    skipLibCheck: true,
  },
  include: ["convex"],
});

/** What `npx convex dev` writes into a new app, and the types that docs/dashboard.md asks for. */
export const convexTsconfig = JSON.stringify({
  compilerOptions: {
    allowJs: true,
    strict: true,
    moduleResolution: "Bundler",
    jsx: "react-jsx",
    skipLibCheck: true,
    allowSyntheticDefaultImports: true,
    target: "ESNext",
    lib: ["ES2023", "dom"],
    forceConsistentCasingInFileNames: true,
    module: "ESNext",
    isolatedModules: true,
    noEmit: true,
    types: ["node"],
  },
  include: ["./**/*"],
  exclude: ["./_generated"],
});
