import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { root } from "./support/root.js";

test("what the component's functions take and return is generated with the fields of each object by name, as a deployment writes it", () => {
  const file = `${root}src/component/_generated/component.ts`;
  const source = ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.Latest,
  );
  let objects = 0;
  const visit = (node: ts.Node, isInFunction: boolean): void => {
    if (isInFunction && ts.isTypeLiteralNode(node)) {
      const names = node.members.map(({ name }) => name!.getText(source));
      expect(names).toEqual([...names].sort());
      objects++;
    }
    const isFunction = ts.isTypeReferenceNode(node);
    ts.forEachChild(node, (child) => visit(child, isInFunction || isFunction));
  };
  visit(source, false);
  expect(objects).toBeGreaterThan(100);
});
