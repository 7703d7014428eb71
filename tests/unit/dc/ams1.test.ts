import { expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { loadAms1, testService } from "../../support/dc/service.ts";

test("the sample site is loaded without an error, and warned about where its story says so", async () => {
  const loaded = await loadAms1(await testService());
  const { results } = loaded.devices;
  const codesOf = ({ warnings = [] }: { readonly warnings?: readonly { readonly code: string }[] }) =>
    warnings.map(({ code }) => code);

  expect([loaded.racks, loaded.devices, loaded.cracs].map(({ failed }) => failed)).toEqual(Array(3).fill(undefined));
  const [b03] = results.filter(({ code }: JsonObject) => code === "SRV-B03-07");
  expect(b03.warnings).toMatchObject([{ code: "SAME_PATH", value: "A" }]);
  expect(results.flatMap(codesOf).filter((code: string) => code === "SINGLE_CORDED")).toHaveLength(32);
  const a08 = results.filter((one: JsonObject) => String(one["code"]).includes("A08") && one["warnings"] !== undefined);
  expect(a08.length).toBeGreaterThan(20);
});
