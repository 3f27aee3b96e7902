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
