import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const NOT_INITIALISED = "Planner not initialized. Run `planner init` first.";

function folder(): { readonly path: string; [Symbol.dispose](): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "planner-mcp-")));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

async function textOf(server: LinesOfProcess, tool: string, args: unknown = {}): Promise<string> {
  server.call(tool, tool, args);
  const answer = (await server.next()) as { result: { content: [{ text: string }] } };
  return answer.result.content[0].text;
}

describe("the words of planner mcp", () => {
  test("--help says what it does and starts no server", async () => {
    using place = folder();

    const { code, stdout, stderr } = await runPlanner(["mcp", "--help"], { cwd: place.path });

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("planner mcp --root");
  });

  test.each([
    ["an unknown flag, with the nearest right one", ["--rot", "x"], '--root"?'],
    ["a word too many", ["now"], "now"],
  ])("%s is refused", async (_, words, said) => {
    using place = folder();

    const { code, stdout, stderr } = await runPlanner(["mcp", ...words], { cwd: place.path });

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(said);
  });

  test.each([
    ["--root <dir>", (root: string) => ["mcp", "--root", root]],
    ["--root=<dir>", (root: string) => ["mcp", `--root=${root}`]],
    ["--root in front", (root: string) => ["--root", root, "mcp"]],
  ])("%s serves the project there", async (_, words) => {
    using place = folder();
    using project = tempProject();
    project.spec("2026-11-01-001-aaa", "---\nstatus: pending\n---\n\n# There\n");
    const server = new LinesOfProcess([...PLANNER, ...words(project.root)], place.path);

    expect(await textOf(server, "planner_spec_list")).toContain("There");
    expect((await server.end()).code).toBe(0);
  });
});

describe("the project of planner mcp", () => {
  test("is found from a folder inside it", async () => {
    using project = tempProject();
    project.spec("2026-11-01-001-aaa", "---\nstatus: pending\n---\n\n# Above\n");
    const inside = join(project.root, "src", "deep");
    mkdirSync(inside, { recursive: true });
    const server = new LinesOfProcess([...PLANNER, "mcp"], inside);

    expect(await textOf(server, "planner_spec_list")).toContain("Above");
    await server.end();
  });

  test("may come into being while the server runs", async () => {
    using place = folder();
    const server = new LinesOfProcess([...PLANNER, "mcp"], place.path);

    server.request(0, "initialize");
    expect(await server.next()).toMatchObject({ id: 0, result: { serverInfo: { name: "planner" } } });
    server.request(1, "tools/list");
    const { result } = (await server.next()) as { result: { tools: readonly unknown[] } };
    expect(result.tools).toHaveLength(23);
    expect(await textOf(server, "planner_add", { description: "First" })).toBe(NOT_INITIALISED);
    await runPlanner(["init"], { cwd: place.path });

    expect(await textOf(server, "planner_add", { description: "First" })).toStartWith("Created spec: ");
    expect(JSON.parse(await textOf(server, "planner_spec_list"))).toMatchObject({ total: 1 });
    expect((await server.end()).code).toBe(0);
  });

  test("may come into being in a folder above", async () => {
    using place = folder();
    const inside = join(place.path, "src");
    mkdirSync(inside);
    const server = new LinesOfProcess([...PLANNER, "mcp"], inside);

    expect(await textOf(server, "planner_status")).toBe(NOT_INITIALISED);
    await runPlanner(["init"], { cwd: place.path });

    expect(JSON.parse(await textOf(server, "planner_status"))).toMatchObject({ total: 0 });
    await server.end();
  });

  test("may come into being where --root points to nothing, which is said on stderr", async () => {
    using place = folder();
    const root = join(place.path, "later");
    const server = new LinesOfProcess([...PLANNER, "mcp", "--root", root], place.path);

    expect(await textOf(server, "planner_status")).toBe(NOT_INITIALISED);
    mkdirSync(root);
    await runPlanner(["init"], { cwd: root });

    expect(JSON.parse(await textOf(server, "planner_status"))).toMatchObject({ total: 0 });
    expect((await server.end()).stderr).toContain(`Cannot find the project's folder "${root}" yet`);
  });
});
