import { describe, expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { DEFAULT_CONFIG } from "#planner/config/config.ts";
import {
  type AssembledPrompt,
  assemblePrompt,
  PROMPT_VARIABLES,
  type PromptRequest,
} from "#planner/work/prompts/prompt.ts";
import { fillTemplate, hasTemplate, loadTemplate, type PromptStore } from "#planner/work/prompts/prompt_template.ts";
import { builtSpec } from "../../../support/built_spec.ts";

/** Templates and project files by name; a path that begins with `..` lies outside. */
function memoryPrompts(
  templates: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): PromptStore {
  return {
    names: async () => Object.keys(templates).sort(),
    text: async (name) => (Object.hasOwn(templates, name) ? (templates[name] ?? null) : null),
    async readProjectFile(path, maxBytes) {
      if (path.startsWith("..")) return { kind: "outside" };
      const text = Object.hasOwn(files, path) ? files[path] : undefined;
      if (text === undefined) return { kind: "none", why: "there is no such file" };
      return { kind: "text", text: text.slice(0, maxBytes), whole: text.length <= maxBytes };
    },
  };
}

const ID = "2026-01-05-001-abc";
const BODY = "# Move the piano\n\nUp the stairs.\n\n## Acceptance Criteria\n\n- [ ] It stands\n";
const PLACE = { path: "/p/.planner/worktrees/x", branch: `planner/${ID}`, isolated: true };
const OUTPUTS = { promptSection: async (path: string) => `## Output Format\n\nfits ${path}\n` };

interface World {
  readonly frontmatter?: string;
  readonly body?: string;
  readonly templates?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly request?: Partial<PromptRequest>;
}

function assemble({ frontmatter = "status: pending", body = BODY, templates = {}, files, request }: World) {
  const spec = builtSpec(ID, frontmatter, body);
  const specText = `---\n${frontmatter}\n---\n${body}`;
  return assemblePrompt(
    { prompts: memoryPrompts(templates, files), outputs: OUTPUTS },
    { spec, specText, config: DEFAULT_CONFIG, projectName: "shop", template: null, folder: PLACE, ...request },
  );
}

function inTemplate(text: string, world: World = {}): Promise<AssembledPrompt> {
  return assemble({ ...world, templates: { t: text }, request: { template: "t", ...world.request } });
}

test("assemblePrompt writes the standard prompt where none is chosen", async () => {
  const { template, text, warnings } = await assemble({ frontmatter: "status: pending\ntarget_files: [a.ts, b.ts]" });

  expect(template).toBe("standard");
  expect(warnings).toEqual([]);
  expect(text).toStartWith(`# Work on ${ID}: Move the piano\n\nYou work in the project shop.`);
  expect(text).toContain("---\nstatus: pending\ntarget_files: [a.ts, b.ts]\n---\n# Move the piano\n");
  expect(text).toContain("then the files it names: a.ts, b.ts\n");
  expect(text).toContain(`Commit with a message that begins \`planner(${ID}):\`.`);
  expect(text).not.toContain("## Commit your work");
  expect(text).not.toContain("{{");
});

test("assemblePrompt takes the template asked for, else the spec's, else the configured one", async () => {
  const templates = { asked: "asked", own: "own", set: "set" };
  const config = { ...DEFAULT_CONFIG, defaults: { ...DEFAULT_CONFIG.defaults, prompt: "set" } };
  const frontmatter = "prompt: own";

  expect((await assemble({ templates, frontmatter, request: { config, template: "asked" } })).template).toBe("asked");
  expect((await assemble({ templates, frontmatter, request: { config } })).template).toBe("own");
  expect((await assemble({ templates, request: { config } })).template).toBe("set");
});

test("assemblePrompt fills in every variable", async () => {
  const text = Object.keys(PROMPT_VARIABLES)
    .map((name) => `${name} = {{${name}}}`)
    .join("\n");

  const filled = await inTemplate(text, { frontmatter: "context: [a.md]", files: { "a.md": "ctx" } });

  expect(filled.warnings).toEqual([]);
  expect(filled.text).toStartWith(`project.name = shop\nspec = ---\ncontext: [a.md]\n---\n${BODY.trim()}\n`);
  for (const line of [
    `spec.id = ${ID}`,
    "spec.title = Move the piano",
    "spec.description = Up the stairs.",
    `spec.path = .planner/specs/${ID}.md`,
    "spec.target_files = none",
    "spec.context = ### a.md\n\n```md\nctx\n```",
    "worktree.path = /p/.planner/worktrees/x",
    `worktree.branch = planner/${ID}`,
    "worktree.isolated = true",
  ]) {
    expect(filled.text).toContain(`${line}\n`);
  }
});

const CHECKLIST = `## Before you commit

- [ ] The spec's frontmatter still has its id and status, and it is valid YAML.
- [ ] The status is one of pending, in_progress, completed, failed.
- [ ] Every id under depends_on exists.
- [ ] \`planner lint ${ID}\` reports no error.`;

test("assemblePrompt adds the checklist with the configured statuses to every template, the standard one once", async () => {
  const spec = { ...DEFAULT_CONFIG.schema.spec, fields: { status: { enum: ["open", "done"] } } };
  const config = { ...DEFAULT_CONFIG, schema: { spec } };
  const expected = CHECKLIST.replace("pending, in_progress, completed, failed", "open, done");

  for (const { text } of [
    await inTemplate("Do it.", { request: { config } }),
    await assemble({ request: { config } }),
  ]) {
    expect(text.split(expected)).toHaveLength(2);
    expect(text.match(/The status is one of/g)).toHaveLength(1);
  }
});

test("assemblePrompt adds where to work, how to commit and what to print, in that order", async () => {
  const { text } = await inTemplate("Do it.", { frontmatter: "output_schema: out.json" });

  expect(text).toBe(
    [
      "Do it.",
      "## Where you work",
      `You are in a git worktree of your own, /p/.planner/worktrees/x, on the branch \`planner/${ID}\`.`,
      "Change files below this folder only, and stay on this branch: it is merged for you once the work is done.",
      "## Commit your work",
      `Before you end, commit everything that belongs to the work. Every commit message begins with \`planner(${ID}):\`.`,
      CHECKLIST,
      "## Output Format\n\nfits out.json\n",
    ].join("\n\n"),
  );
});

test("assemblePrompt speaks of no worktree where there is none", async () => {
  const { text } = await inTemplate("{{worktree.isolated}}", {
    request: { folder: { path: "/p", branch: "main", isolated: false } },
  });

  expect(text).toStartWith("false\n");
  expect(text).not.toContain("Where you work");
});

test("assemblePrompt adds context files, names what is missing and lets no file end its block", async () => {
  const frontmatter = "context: [a.md, gone.ts, a.md]";

  const { text, warnings } = await inTemplate("Do it.", { frontmatter, files: { "a.md": "````\nx\n````\n" } });

  expect(text).toContain(
    "## Context files\n\n### a.md\n\n`````md\n````\nx\n````\n`````\n\n### gone.ts\n\n(there is no such file)\n",
  );
  expect(warnings).toEqual(['Context file "gone.ts": there is no such file']);
});

test("assemblePrompt cuts long context files and stops when they fill the prompt", async () => {
  const names = ["a", "b", "c", "d"];
  const files = Object.fromEntries(names.map((name) => [name, "x".repeat(300_000)]));

  const { text, warnings } = await inTemplate("Do it.", { frontmatter: `context: [${names}]`, files });

  expect(text.length).toBeLessThan(800_000);
  expect(warnings[0]).toBe('Context file "a": only its first 262144 bytes are here');
  expect(warnings).toHaveLength(4);
  expect(text).toContain("(only its first 262144 bytes are here)");
  expect(warnings[3]).toBe('Context file "d": left out, the files before it fill the prompt');
});

test("assemblePrompt refuses a context path that leads out, and an empty template", async () => {
  await expect(inTemplate("Do it.", { frontmatter: "context: [../secret]" })).rejects.toThrow(
    'Cannot read context file "../secret": it lies outside the project',
  );
  await expect(inTemplate("---\nname: t\n---\n \n")).rejects.toThrow(
    'Prompt "t" is empty: expected a text for the agent',
  );
});

async function loaded(templates: Readonly<Record<string, string>>, name = "a"): Promise<string> {
  return (await loadTemplate(memoryPrompts(templates), name)).text;
}

async function refusal(templates: Readonly<Record<string, string>>, name = "a"): Promise<string> {
  try {
    return `no refusal: ${await loaded(templates, name)}`;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return `${error.kind}: ${error.message}`;
  }
}

describe("loadTemplate", () => {
  test("gives the text behind the frontmatter", async () => {
    expect(await loaded({ a: "---\nname: a\npurpose: x\n---\nHello\n" })).toBe("Hello\n");
    expect(await loaded({ a: "Hello\n" })).toBe("Hello\n");
  });

  test("puts a parent where the child wants it, through several", async () => {
    const templates = {
      a: "---\nextends: b\n---\nabove\n{{> parent}}\nbelow {{ > parent }}\n",
      b: "---\nextends: c\n---\nb: {{>parent}}",
      c: "$& {{spec.id}}\n",
    };

    expect(await loaded(templates)).toBe("above\nb: $& {{spec.id}}\nbelow b: $& {{spec.id}}\n");
  });

  test("puts a parent first where the child does not say", async () => {
    expect(await loaded({ a: "---\nextends: b\n---\n\nchild\n", b: "parent\n\n" })).toBe("parent\n\nchild\n");
  });

  test("has a standard template without a file, and the file's where there is one", async () => {
    expect(await loaded({}, "standard")).toContain("planner({{spec.id}}):");
    expect(await loaded({ standard: "Mine" }, "standard")).toBe("Mine");
    expect(await loaded({ a: "---\nextends: standard\n---\nmore" })).toEndWith("\n\nmore");
  });

  test("refuses circles, missing parents and a parent's place without a parent", async () => {
    const circle = { a: "---\nextends: b\n---\n", b: "---\nextends: c\n---\n", c: "---\nextends: b\n---\n" };

    expect(await refusal(circle)).toBe(
      "failed_precondition: Prompt templates extend each other in a circle: a -> b -> c -> b",
    );
    expect(await refusal({ a: "---\nextends: bas\n---\n", base: "" })).toBe(
      'failed_precondition: Prompt "a" extends "bas", which does not exist: did you mean "base"?',
    );
    expect(await refusal({ a: "x {{> parent}}" })).toBe(
      'failed_precondition: Prompt "a" holds {{> parent}} and extends none: expected "extends: <name>" in its frontmatter',
    );
  });

  test("refuses templates that are not there or do not parse", async () => {
    expect(await refusal({ careful: "" }, "carful")).toBe(
      'not_found: Prompt not found: "carful": did you mean "careful"?',
    );
    expect(await refusal({}, "x")).toBe(
      'not_found: Prompt not found: "x": expected a file in .planner/prompts, which has none',
    );
    expect(await refusal({ a: "---\nname: [\n---\n" })).toStartWith(
      'failed_precondition: Cannot read the prompt "a": line ',
    );
    expect(await refusal({ a: "---\nextends: [b]\n---\n" })).toBe(
      'failed_precondition: Cannot read the prompt "a": expected a name behind "extends"',
    );
  });
});

describe("fillTemplate", () => {
  const values = new Map([
    ["spec.id", "x-1"],
    ["spec", "a {{spec.id}} $1 {{nonsense}}"],
  ]);

  test("leaves what it does not know and says so once", () => {
    const { text, warnings } = fillTemplate(
      { name: "a", text: "{{spec.ib}} {{spec.ib}} {{ github.sha }} {{> x}}" },
      values,
    );

    expect(text).toBe("{{spec.ib}} {{spec.ib}} {{ github.sha }} {{> x}}");
    expect(warnings).toEqual([
      'Prompt "a" holds {{spec.ib}}, which means nothing and stays as it is. Did you mean "{{spec.id}}"?',
      'Prompt "a" holds {{ github.sha }}, which means nothing and stays as it is',
      'Prompt "a" holds {{> x}}, which means nothing and stays as it is',
    ]);
  });
});

test("hasTemplate knows the standard one and every file", async () => {
  const prompts = memoryPrompts({ a: "" });

  expect(await hasTemplate(prompts, "a")).toBe(true);
  expect(await hasTemplate(prompts, "standard")).toBe(true);
  expect(await hasTemplate(prompts, "b")).toBe(false);
});
