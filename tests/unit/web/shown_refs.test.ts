import { expect, test } from "bun:test";
import { createFieldOptions, formatShownRef, parseTypedRef } from "#web/console/ui/use_hits.ts";

const hit = (ref: string) => ({ kind: "INVENTORY_KIND_DEVICE", ref, name: ref, detail: "" }) as const;

test("a field shows the code of a thing, and the kind as well of one whose code something else has", () => {
  const hits = [hit("rack:A1"), hit("device:A1"), hit("device:A10")];
  expect(createFieldOptions(hits).map(({ name }) => name)).toEqual(["rack\u00a0A1", "device\u00a0A1", "A10"]);
  expect(createFieldOptions(hits).map(({ value }) => value)).toEqual(["rack:A1", "device:A1", "device:A10"]);
  expect(formatShownRef("A1", hits)).toBe("A1");
  expect(parseTypedRef("rack\u00a0A1")).toBe("rack:A1");
  expect(formatShownRef("device:A1", [hit("device:A1")])).toBe("A1");
});
