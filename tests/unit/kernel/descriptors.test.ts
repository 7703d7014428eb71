import { expect, test } from "bun:test";
import type { DescFile } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { file_datacenter_v1_planning } from "#gen/datacenter/v1/planning_pb.ts";

function withImports(file: DescFile, found = new Set<DescFile>()): ReadonlySet<DescFile> {
  found.add(file);
  for (const one of file.dependencies) withImports(one, found);
  return found;
}

test("fileDesc describes each imported file and each message once", () => {
  const files = withImports(file_datacenter_v1_planning);
  expect(files.size).toBe(new Set([...files].map(({ name }) => name)).size);
  const named = [...files].flatMap((file) =>
    [...nestedTypes(file)].flatMap((type) => (type.kind === "message" ? type.fields : [])),
  );
  const elsewhere = named.filter(({ message, parent }) => message !== undefined && message.file !== parent?.file);
  expect(elsewhere.length).toBeGreaterThan(10);
  const strange = elsewhere.filter(({ message }) => !files.has(message?.file as DescFile));
  // Names, because a descriptor cannot be printed.
  expect(strange.map(({ parent, name }) => `${parent?.typeName}.${name}`)).toEqual([]);
});
