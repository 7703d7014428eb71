import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../../support/source_code.ts";

const read = (path: string) => readFileSync(join(REPOSITORY, path), "utf8");

test("the tool versions file, the container for development and package.json name the same Node.js", () => {
  const [, major = ""] = /^nodejs (\d+)\.\d+\.\d+$/m.exec(read(".tool-versions")) ?? [];
  const manifest = JSON.parse(read("package.json"));
  const container = JSON.parse(read(".devcontainer/devcontainer.json"));

  expect(manifest.engines.node).toMatch(new RegExp(`^>=${major}(?:\\.\\d+)?$`));
  expect(container.image).toContain(`:${major}-`);
});

test("package.json pins every dependency to one version", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(String(version)),
  );

  expect(loose).toEqual([]);
});
