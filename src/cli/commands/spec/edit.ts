import { OperationError } from "#kernel/errors.ts";
import { lintTool } from "#planner/operations/lint.ts";
import { findSpecId } from "#planner/operations/shared/find_spec.ts";
import { runTool } from "#planner/service.ts";
import { parseDocument } from "#planner/spec/document.ts";
import { type AcceptableLine, buildCheckLines } from "#planner/work/acceptance.ts";
import { ACTIVE_ID } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { acceptTypedCommands } from "../../consent.ts";
import { editText } from "../../edit_text.ts";
import { print } from "../../output/print.ts";

export const command = defineCommand({
  meta: { name: "edit", description: "Edit a spec in $VISUAL or $EDITOR and lint it" },
  details:
    "The editor opens a copy. If another program changed the spec meanwhile, nothing is overwritten: your text stays in a file that the message names. The copy is in the temporary directory, and also stays if the editor fails or the disk is full.",
  args: { id: ACTIVE_ID },
  examples: {
    "planner edit 003": "Edit today's third spec",
    'VISUAL="code --wait" planner edit 003': "Use an editor with arguments",
  },
  async run({ args: { id: text }, cli }) {
    const project = await cli.openProject();
    const { context } = project;
    const id = await findSpecId(context, text, { archived: false });
    const { text: before } = await context.specs.readText(id);
    const edit = await editText(`${id}.md`, before);
    if (edit.text === before) {
      edit.discard();
      return cli.note(`Nothing changed: ${id}`);
    }
    try {
      await context.specs.edit(id, (current) => {
        if (current === before) return edit.text;
        throw new OperationError("aborted", `Spec "${id}" was changed by somebody else while you edited it`);
      });
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      throw new OperationError(error.kind, `${error.message}: your text is kept in "${edit.file}"`, { cause: error });
    }
    edit.discard();
    await acceptTypedCommands(project, findNewChecks(before, edit.text));
    print(`Updated spec: ${id}\n`);
    const { value } = await runTool(context, lintTool, { id });
    for (const { severity, rule, message } of value.diagnostics) cli.warn(`lint ${severity}, ${rule}: ${message}`);
  },
});

/** Returns the checks that only the edited text has. */
function findNewChecks(before: string, after: string): readonly AcceptableLine[] {
  const [old, now] = [before, after].map((text) => {
    const document = parseDocument(text);
    return document.ok ? buildCheckLines(document.body) : [];
  });
  const known = new Set(old?.map(({ text }) => text));
  return (now ?? []).filter(({ text }) => !known.has(text));
}
