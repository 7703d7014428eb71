import { describe, expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { fillTemplate, hasTemplate, loadTemplate } from "#planner/work/prompts/prompt_template.ts";
import { memoryPrompts } from "../../../../support/memory_prompts.ts";

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
