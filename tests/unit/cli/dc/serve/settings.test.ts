import { expect, test } from "bun:test";
import { SERVE_FLAGS, type ServeArgs } from "#cli/dc/serve/serve_flags.ts";
import { readServeSettings } from "#cli/dc/serve/settings.ts";

const nothing = Object.fromEntries(
  Object.entries(SERVE_FLAGS).map(([name, flag]) => [name, flag.type === "boolean" ? false : undefined]),
) as unknown as ServeArgs;

const read = async (env: Record<string, string>) => {
  const warnings: string[] = [];
  const settings = await readServeSettings(nothing, { cwd: "/", warn: (text) => warnings.push(text) }, env);
  return { warnings, of: (name: string) => settings.find((setting) => setting.name === name) };
};

test("a variable is read as its flag is, and one that is nearly ours is wondered about", async () => {
  const { of, warnings } = await read({ PLANNER_DC_PORT: "0", PLANNER_DC_INSECURE: "yes", PLANNER_DC_HOTS: "x" });

  expect(of("port")).toMatchObject({ value: 0, origin: "environment", from: "PLANNER_DC_PORT" });
  expect(of("insecure")?.value).toBe(true);
  expect(warnings).toEqual(['Unknown variable PLANNER_DC_HOTS: did you mean "PLANNER_DC_HOST"?']);
  await expect(read({ PLANNER_DC_PORT: "-1" })).rejects.toThrow("PLANNER_DC_PORT: expected a whole number from 0");
  await expect(read({ PLANNER_DC_INSECURE: "maybe" })).rejects.toThrow("expected true or false");
});
