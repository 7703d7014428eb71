import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { SETTINGS, variableOf } from "#cli/dc/settings.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const FOLDER = join(ROOT, "docs", "deploy");
const containerfile = readFileSync(join(FOLDER, "Containerfile"), "utf8");
const composeFiles = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));
const variables = SETTINGS.flatMap((name) => [variableOf(name), `${variableOf(name)}_FILE`]);

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

for (const name of composeFiles) {
  test(`${name} builds from here, names known settings, and its parts know each other`, () => {
    const { services, volumes } = parse(readFileSync(join(FOLDER, name), "utf8")) as {
      readonly services: Readonly<Record<string, Service>>;
      readonly volumes: Readonly<Record<string, unknown>>;
    };
    const { planner } = services;

    expect(existsSync(join(FOLDER, planner?.build?.context ?? "", planner?.build?.dockerfile ?? ""))).toBe(true);
    expect(Object.keys(planner?.environment ?? {}).filter((key) => !variables.includes(key))).toEqual([]);
    for (const service of Object.values(services)) {
      for (const volume of service.volumes ?? []) expect(volumes).toHaveProperty([volume.split(":")[0] ?? ""]);
      for (const other of Object.keys(service.depends_on ?? {})) expect(services).toHaveProperty([other]);
    }
  });
}

test("the Containerfile copies what is there and names known settings", () => {
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, words = ""]) =>
    words.split(" "),
  );
  const set = [...containerfile.matchAll(/\b(PLANNER_DC_\w+)=/g)].map(([, name]) => name ?? "");

  expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(copied.length).toBeGreaterThan(3);
  expect(set.length).toBeGreaterThan(0);
  expect(set.filter((name) => !variables.includes(name))).toEqual([]);
  expect(composeFiles).toHaveLength(2);
});
