import { expect, test } from "bun:test";
import { type RunResult, runPlanner } from "../support/planner_command.ts";
import { projectOfEachTest } from "../support/test_project.ts";

const project = projectOfEachTest();

const planner = (...args: readonly string[]): Promise<RunResult> => runPlanner(args, { cwd: project.root });
const settings = (yaml: string): void => project.write(".planner/config.md", `---\n${yaml}\n---\n`);

test("config shows what holds, as YAML and as JSON", async () => {
  settings("lint: {thresholds: {simple_words: 9}}");

  const { stdout, code } = await planner("config");
  const json = JSON.parse((await planner("config", "--json")).stdout);

  expect(code).toBe(0);
  expect(stdout).toContain("    simple_words: 9\n");
  expect(stdout).toContain("  strict_output_validation: false\n");
  expect(json.lint.thresholds).toMatchObject({ simple_words: 9, complexity_words: 150 });
  expect(json.schema.spec.required).toEqual(["status"]);
});

test("config shows one setting and names the nearest to one that is none", async () => {
  expect((await planner("config", "lint.thresholds.complexity_words")).stdout).toBe("150\n");
  expect((await planner("config", "schema.spec.required", "--json")).stdout).toBe('["status"]\n');
  const wrong = await planner("config", "lint.tresholds");
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('No setting "lint.tresholds": did you mean "thresholds"?');
});

test("config --explain says what settings do, without a project", async () => {
  const { stdout, code } = await runPlanner(["config", "verify.parallel", "--explain"], { cwd: "/" });
  const wrong = await runPlanner(["config", "verify.paralel", "--explain"], { cwd: "/" });

  expect([code, stdout]).toEqual([
    0,
    "verify.parallel: a whole number from 1 to 64, by default 1\n  How many of the commands and checks run side by side\n",
  ]);
  expect([wrong.code, wrong.stderr.includes('did you mean "verify.parallel"?')]).toEqual([1, true]);
});

test("config warns of unknown keys and refuses wrong ones", async () => {
  settings("projct: {}");
  const odd = await planner("config");
  expect(odd.code).toBe(0);
  expect(odd.stderr).toContain('.planner/config.md:2:1: Unknown setting "projct". Did you mean "project"?');

  settings("project: 3");
  const wrong = await planner("config");
  expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
  expect(wrong.stderr).toContain(".planner/config.md:2:10: ");
});

test("config --validate lists every problem and ends with 1 on errors alone", async () => {
  expect(await planner("config", "--validate")).toMatchObject({ code: 0, stdout: "0 errors, 0 warnings\n" });

  settings("projct: {}");
  expect(await planner("config", "--validate")).toMatchObject({
    code: 0,
    stdout:
      '.planner/config.md:2:1: warning: Unknown setting "projct". Did you mean "project"?\n0 errors, 1 warnings\n',
  });

  settings("project: 3\nlint: {disable: [x]}");
  const { code, stdout } = await planner("config", "--validate", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ valid: false, errors: [{ line: 2 }, { line: 3 }], warnings: [] });
  expect((await planner("config", "--validate", "lint")).code).toBe(2);
});

test("config warns of a default prompt without a template", async () => {
  settings("defaults:\n  prompt: careful");

  expect((await planner("config", "--validate")).stdout).toBe(
    '.planner/config.md:3:11: warning: Setting "defaults.prompt" names no template: expected .planner/prompts/careful.md\n0 errors, 1 warnings\n',
  );

  project.write(".planner/prompts/careful.md", "Go slowly.\n");
  expect((await planner("config", "--validate")).stdout).toBe("0 errors, 0 warnings\n");
});

test("schema prints a JSON Schema that follows the configuration", async () => {
  settings("schema: {spec: {required: [status, team], fields: {team: {type: string, enum: [red]}}}}");

  const { code, stdout } = await planner("schema");

  expect(code).toBe(0);
  const schema = JSON.parse(stdout);
  expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  expect(schema.required).toEqual(["status", "team"]);
  expect(schema.properties.team).toEqual({ type: "string", enum: ["red"] });
  const older = JSON.parse((await planner("schema", "--draft", "07")).stdout);
  expect(older).toEqual({ ...schema, $schema: "http://json-schema.org/draft-07/schema#" });
});
